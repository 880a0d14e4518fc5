/** How many frames errors record that are made from now on. Where the intrinsics are frozen, nothing changes. */
export function limitStackTraces(frames: number): void {
  Reflect.set(Error, 'stackTraceLimit', frames);
}
