declare global {
  namespace Express {
    /** A member of the staff, who uses the back office with a session. */
    interface User {
      readonly name: string;
      readonly mayRefund: boolean;
    }
  }
}

export {};
