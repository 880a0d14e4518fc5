import { messageOf } from './message-of.js';
import { operate } from './operate/operate.js';

operate(process.argv.slice(2), process.env)
  .then((sentence) => console.log(sentence))
  .catch((error: unknown) => {
    console.error(messageOf(error));
    // exitCode is not enough, because connections that are still open keep the process alive.
    process.exit(1);
  });
