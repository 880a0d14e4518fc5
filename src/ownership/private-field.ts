/** Returns the given object from the constructor, so that a subclass adds its private fields to that object. */
// oxlint-disable-next-line typescript/no-extraneous-class -- only a constructor can do this
class ReturnsGiven {
  constructor(object: object) {
    return object;
  }
}

/**
 * Keeps a value in a private field of an object that another module made, so that other code cannot read, forge or
 * change the value. A WeakMap does the same, but costs each request 4 microseconds more, mostly in the garbage
 * collector. This file can go, in favor of a WeakMap, when the benchmark no longer shows that difference.
 */
export class PrivateField extends ReturnsGiven {
  #value: unknown;

  private constructor(object: object, value: unknown) {
    super(object);
    this.#value = value;
  }

  static set(object: object, value: unknown): void {
    if (#value in object) object.#value = value;
    else new PrivateField(object, value);
  }

  static get(object: unknown): unknown {
    return typeof object === 'object' && object !== null && #value in object ? object.#value : undefined;
  }
}
