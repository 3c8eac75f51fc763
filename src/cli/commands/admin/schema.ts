import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeFolder, requireWritable, writeDurably } from "../../../machine/files/files.ts";
import { SCHEMA_NAMES, jsonSchema } from "../../../story/json-schema.ts";
import type { Build } from "../../program/command.ts";
import { Argument } from "commander";
import { SagaError } from "../../../errors.ts";
import { plain } from "../../output/terminal.ts";

interface SchemaOptions {
  readonly out?: string;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command("schema", "Print the JSON Schema of a file, for editors and other programs.", [
        "saga schema                      list all schemas",
        "saga schema story > story.schema.json",
        "saga schema --out .schemas       write all schemas as files",
      ])
      .addArgument(new Argument("[name]", "the kind of file").choices(SCHEMA_NAMES))
      .option("--out <folder>", "write all schemas into this folder"),
    async ({ cwd }, [name], { out }: SchemaOptions) => {
      if (out !== undefined) {
        if (name !== undefined || out.trim() === "") {
          throw new SagaError(
            "usage",
            "--out writes all schemas, so it cannot be combined with a name.",
            {
              hint: "For one schema: `saga schema <name> > <file>`.",
            },
          );
        }
        const files = writeAll(resolve(cwd, out));
        return { json: { files }, text: () => `${files.map(plain).join("\n")}\n` };
      }
      if (name === undefined) {
        return { json: { schemas: SCHEMA_NAMES }, text: () => `${SCHEMA_NAMES.join("\n")}\n` };
      }
      const schema = jsonSchema(name);
      return { json: schema, text: () => `${JSON.stringify(schema, undefined, 2)}\n` };
    },
  );

/** Checks all files before it writes the first. */
function writeAll(folder: string): string[] {
  const files = SCHEMA_NAMES.map((name) => ({ name, file: join(folder, `${name}.schema.json`) }));
  for (const { file } of files) {
    requireWritable(file);
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
      throw new SagaError("not-writable", `Cannot write ${file}: it is a folder.`, {
        hint: "Move it and run the command again; nothing was changed.",
      });
    }
  }
  makeFolder(folder);
  for (const { name, file } of files) {
    writeDurably(file, `${JSON.stringify(jsonSchema(name), undefined, 2)}\n`);
  }
  return files.map(({ file }) => file);
}
