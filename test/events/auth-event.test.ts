import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect } from 'chai';
import { type AuthEvent, emit, type EventDetails, onAuthEvent } from '../../src/events/auth-event.js';
import { listenUntilTheEnd, recordEvents } from '../helpers/events.js';
import { expectTypeError } from '../helpers/thrown.js';
import { settle } from '../helpers/until.js';

const REFUSAL = {
  type: 'token_refused',
  reason: 'missing_token',
  accountId: undefined,
  realm: 'merchant',
  source: undefined,
} satisfies EventDetails;

function emitRefusal(): void {
  emit(() => REFUSAL);
}

/** Returns the errors that would have ended the process while `act` ran. */
async function fatalErrorsOf(act: () => void): Promise<unknown[]> {
  const fatal: unknown[] = [];
  const events = ['uncaughtException', 'unhandledRejection'] as const;
  const kept = events.map((event) => [event, process.rawListeners(event)] as const);
  for (const event of events) {
    process.removeAllListeners(event);
    process.on(event, (reason) => fatal.push(reason));
  }
  try {
    act();
    await settle();
  } finally {
    for (const [event, listeners] of kept) {
      process.removeAllListeners(event);
      for (const listener of listeners) process.on(event, listener as () => void);
    }
  }
  return fatal;
}

describe('emit', () => {
  it('creates no event while nobody listens', () => {
    let described = 0;
    const describeIt = () => {
      described += 1;
      return REFUSAL;
    };
    expect(channel('express-merchant-auth').hasSubscribers).to.equal(false);
    emit(describeIt);
    expect(described).to.equal(0);
    const stop = onAuthEvent(() => undefined);
    emit(describeIt);
    stop();
    emit(describeIt);
    expect(described).to.equal(1);
  });

  it('adds the time, and creates one event for all listeners', () => {
    let described = 0;
    const [first, second] = [recordEvents(), recordEvents()];
    const before = Date.now();
    emit(() => {
      described += 1;
      return REFUSAL;
    });
    const after = Date.now();
    expect(described).to.equal(1);
    expect(first).to.have.length(1).and.deep.equal(second);
    const { time, ...details } = first[0] ?? { time: new Date(Number.NaN) };
    expect(details).to.deep.equal(REFUSAL);
    expect(time.getTime()).to.be.within(before, after);
  });

  it('drops the event when its description throws, because a report must not end the process', async () => {
    const events = recordEvents();
    const failing = () =>
      emit(() => {
        throw new Error('of the host');
      });
    expect(await fatalErrorsOf(failing)).to.deep.equal([]);
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
  it('calls the listener before emit returns', () => {
    const events = recordEvents();
    emitRefusal();
    expect(events).to.have.length(1);
  });

  it('calls each listener once for each event, in the order in which they were added', () => {
    const calls: string[] = [];
    for (const name of ['first', 'second', 'third']) listenUntilTheEnd(() => calls.push(name));
    emitRefusal();
    expect(calls).to.deep.equal(['first', 'second', 'third']);
  });

  it('drops an error that a listener throws, and calls the others', async () => {
    const events: AuthEvent[] = [];
    listenUntilTheEnd(() => {
      throw new Error('the audit log is full');
    });
    listenUntilTheEnd((event) => events.push(event));
    expect(await fatalErrorsOf(emitRefusal)).to.deep.equal([]);
    expect(events).to.have.length(1);
  });

  it('drops the rejection of an async listener, because it would end the process', async () => {
    const events: AuthEvent[] = [];
    // eslint-disable-next-line @typescript-eslint/require-await -- it rejects
    listenUntilTheEnd(async (event) => {
      events.push(event);
      throw new Error('the audit log is full');
    });
    expect(await fatalErrorsOf(emitRefusal)).to.deep.equal([]);
    expect(events).to.have.length(1);
  });

  it('does not call a removed listener, also when it is removed twice', () => {
    const [ended, kept]: [AuthEvent[], AuthEvent[]] = [[], []];
    const stop = onAuthEvent((event) => ended.push(event));
    listenUntilTheEnd((event) => kept.push(event));
    emitRefusal();
    stop();
    stop();
    emitRefusal();
    expect([ended.length, kept.length]).to.deep.equal([1, 2]);
  });

  it('treats a listener that was added twice as two, and removes them one by one', () => {
    let calls = 0;
    const listener = () => {
      calls += 1;
    };
    const stops = [onAuthEvent(listener), onAuthEvent(listener)];
    emitRefusal();
    expect(calls).to.equal(2);
    stops[0]?.();
    emitRefusal();
    expect(calls).to.equal(3);
    stops[1]?.();
    emitRefusal();
    expect(calls).to.equal(3);
  });

  it('lets a listener remove itself or add another during a call', () => {
    const [once, added]: [AuthEvent[], AuthEvent[]] = [[], []];
    const stop = onAuthEvent((event) => {
      once.push(event);
      stop();
      listenUntilTheEnd((later) => added.push(later));
    });
    emitRefusal();
    emitRefusal();
    expect([once.length, added.length]).to.deep.equal([1, 1]);
  });

  it('throws for a listener that is not a function', () => {
    for (const value of [undefined, null, {}, 'console.log']) {
      expectTypeError(() => onAuthEvent(value as never), 'onAuthEvent: listener must be a function.');
    }
  });
});
