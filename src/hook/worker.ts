// `node worker.cjs <story>`: works on a story here and now, as `saga worker` does.

import { startProgram } from "./start-program.ts";

startProgram("worker");
