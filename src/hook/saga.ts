// `saga` in a session of Claude Code that has the plugin, and nothing else installed.

import { startProgram } from "./start-program.ts";

startProgram();
