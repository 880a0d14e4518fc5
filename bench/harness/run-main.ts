/** Runs a command of the benchmark: its exit code is 0 when `main` resolves to true. */
export function runMain(main: (args: readonly string[], env: NodeJS.ProcessEnv) => Promise<boolean>): void {
  main(process.argv.slice(2), process.env).then(
    (isGood) => {
      process.exitCode = isGood ? 0 : 1;
    },
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    },
  );
}
