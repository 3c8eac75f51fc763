import { join, resolve } from "node:path";
import { makeFolder, writeDurably } from "../../machine/files.ts";
import { SCHEMA_NAMES, jsonSchema } from "../../story/json-schema.ts";
import type { Build } from "../command.ts";
import { Argument } from "commander";
import { plain } from "../output.ts";

interface SchemaOptions {
  readonly out?: string;
}

export const build: Build = (shell) =>
  shell.action(
    shell
      .command("schema", "Print the JSON Schema of a file, for editors and other programs.", [
        "saga schema                      the names of all schemas",
        "saga schema story > story.schema.json",
        "saga schema --out .schemas       all of them, as files",
      ])
      .addArgument(new Argument("[name]", "which file").choices(SCHEMA_NAMES))
      .option("--out <folder>", "write all schemas into this folder"),
    async ({ cwd }, [name], { out }: SchemaOptions) => {
      if (out !== undefined) {
        const folder = resolve(cwd, out);
        makeFolder(folder);
        const files = SCHEMA_NAMES.map((one) => {
          const file = join(folder, `${one}.schema.json`);
          writeDurably(file, `${JSON.stringify(jsonSchema(one), undefined, 2)}\n`);
          return file;
        });
        return { json: { files }, text: () => `${files.map(plain).join("\n")}\n` };
      }
      if (name === undefined) {
        return { json: { schemas: SCHEMA_NAMES }, text: () => `${SCHEMA_NAMES.join("\n")}\n` };
      }
      const schema = jsonSchema(name);
      return { json: schema, text: () => `${JSON.stringify(schema, undefined, 2)}\n` };
    },
  );
