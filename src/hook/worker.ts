// `node worker.cjs <story>`: works on a story in the foreground, as `saga worker` does.

import { startProgram } from "./start-program.ts";

startProgram("worker");
