import type { ServerResponse } from 'node:http';
import type { Handle, Layer, Route } from './express-types.js';

/** A function that ran for a request. */
export interface Ran {
  readonly fn: Handle;
  readonly name: string;
  /** Its place in the app. */
  readonly order: number;
  readonly layer?: Layer;
  readonly route?: Route | undefined;
  /** A callback of `router.param`. */
  readonly isParam?: boolean;
  /** The last function of another route whose path matches, as in `app.all('/api/*', guard)`. */
  readonly isThrough?: boolean;
  /** True when it went on. */
  passed: boolean;
}

/** A request, as it is asked. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  /** The route that is asked. */
  readonly aim: Route | undefined;
  /** Functions that are left out. */
  readonly leftOut: ReadonlyMap<Handle, 'input' | 'other'>;
  /** True when the handler of the route runs. */
  readonly runsHandler: boolean;
}

/** The answer to a request, and the functions that ran for it. */
export interface Answer extends Asked {
  readonly ran: readonly Ran[];
  /** The route whose handler was reached. */
  readonly reached: Route | undefined;
  /** 0 without an answer in time. */
  readonly status: number;
  readonly text: string;
  readonly location: unknown;
}

/** The notes about a request in progress. */
export interface Trail extends Asked {
  readonly ran: Ran[];
  reached: Route | undefined;
  isOver: boolean;
  /** Takes the answer, the first time. */
  readonly end: (status: number, text?: string, location?: unknown) => void;
  /** Ends a response as Node.js does, without the functions that a host put around it. */
  close: (res: ServerResponse) => unknown;
}
