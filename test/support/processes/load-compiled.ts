// Loads `large.cjs` from the folder in its argument, with kept compiled code, and prints what it says.

import nodeModule from "node:module";
import { join } from "node:path";
import { keepCompiledCode } from "../../../src/cli/program/compiled-code.ts";

const [program = ""] = process.argv.slice(2);
keepCompiledCode({ program, variant: "test", env: process.env });
const file = join(program, "large.cjs");
const { say } = nodeModule.createRequire(file)(file) as { readonly say: () => string };
process.stdout.write(say());
