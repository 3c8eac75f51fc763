// `saga` in a session of Claude Code with the plugin and without an installed package.

import { startProgram } from "./start-program.ts";

startProgram();
