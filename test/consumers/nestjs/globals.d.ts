declare const describe: (title: string, suite: () => void) => void;
declare const it: (title: string, run: (context: object) => unknown) => void;
