import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect } from 'chai';
import { type AuthEvent, emit, type EventDetails, onAuthEvent } from '../../src/events/auth-event.js';
import { MISSING_TOKEN } from '../helpers/answers.js';
import { collectWarnings, expectNothingUnhandled } from '../helpers/diagnostics.js';
import { listenUntilTheEnd, recordEvents } from '../helpers/events.js';
import { expectTypeError } from '../helpers/thrown.js';
import { settle } from '../helpers/until.js';

const REFUSAL = {
  type: 'token_refused',
  reason: MISSING_TOKEN,
  detail: 'Send the header.',
  accountId: undefined,
  realm: 'merchant',
  source: undefined,
} satisfies EventDetails;

function emitRefusal(): void {
  emit(() => REFUSAL);
}

describe('emit', () => {
  it('creates one event for all listeners with the time, and none while nobody listens', () => {
    let described = 0;
    const describeIt = () => {
      described += 1;
      return REFUSAL;
    };
    emit(describeIt);
    expect(described).to.equal(0);
    const [first, second] = [recordEvents(), recordEvents()];
    const before = Date.now();
    emit(describeIt);
    expect(described).to.equal(1);
    expect(first).to.have.length(1).and.deep.equal(second);
    const { time, ...details } = first[0] ?? { time: new Date(Number.NaN) };
    expect(details).to.deep.equal(REFUSAL);
    expect(time.getTime()).to.be.within(before, Date.now());
  });

  it('drops the event when its description throws, because a report must not end the process', async () => {
    const events = recordEvents();
    await expectNothingUnhandled(async () => {
      emit(() => {
        throw new Error('of the host');
      });
      await settle();
    });
    expect(events).to.deep.equal([]);
  });

  it('publishes on the channel express-merchant-auth of node:diagnostics_channel', () => {
    const messages: unknown[] = [];
    const subscriber = (message: unknown, name: unknown) => {
      messages.push(message, name);
    };
    subscribe('express-merchant-auth', subscriber);
    emitRefusal();
    unsubscribe('express-merchant-auth', subscriber);
    const [event, name] = messages as [AuthEvent, string];
    expect(event).to.deep.equal({ ...REFUSAL, time: event.time });
    expect(name).to.equal('express-merchant-auth');
  });
});

describe('onAuthEvent', () => {
  it('calls each listener once for each event, in the order in which they were added', () => {
    const calls: string[] = [];
    for (const name of ['first', 'second', 'third']) listenUntilTheEnd(() => calls.push(name));
    emitRefusal();
    expect(calls).to.deep.equal(['first', 'second', 'third']);
  });

  it('drops what a listener throws or rejects with, because it would end the process, warns once, and calls the others', async () => {
    const failure = new Error('the audit log is full');
    listenUntilTheEnd(() => {
      throw failure;
    });
    listenUntilTheEnd(() => Promise.reject(failure));
    const events = recordEvents();
    const warnings = collectWarnings();
    await expectNothingUnhandled(async () => {
      emitRefusal();
      emitRefusal();
      await settle();
    });
    expect(events).to.have.length(2);
    expect(warnings).to.have.length(2);
    for (const warning of warnings) {
      expect(warning).to.match(
        /^A listener of onAuthEvent failed, so an event is lost\. .* The first one: Error at .*auth-event\.test\.ts:\d+:\d+/,
      );
      expect(warning).not.to.contain(failure.message);
    }
  });

  it('treats a listener that was added twice as two, and removes each once', () => {
    let calls = 0;
    const listener = () => {
      calls += 1;
    };
    const stops = [onAuthEvent(listener), onAuthEvent(listener)];
    const counts = [];
    for (const stop of [() => undefined, stops[0], stops[0], stops[1]]) {
      stop?.();
      emitRefusal();
      counts.push(calls);
    }
    expect(counts).to.deep.equal([2, 3, 4, 4]);
  });

  it('throws for a listener that is not a function', () => {
    for (const value of [undefined, null, {}, 'console.log']) {
      expectTypeError(() => onAuthEvent(value as never), 'onAuthEvent: listener must be a function.');
    }
  });
});
