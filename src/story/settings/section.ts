// What the descriptions of settings are made of.

import * as z from "zod";

/** A file or folder inside the project; not a pattern. */
export const path = z.string().regex(/^(?![/~])(?!(?:.*[/\\])?\.{1,2}(?:[/\\]|$))\S/s, {
  error: "is not a path inside the project",
});
/** Anywhere on the machine. */
export const folder = z.string().regex(/^(?:~\/|\/)\S/, "does not begin with / or ~/");
export const variable = z.string().regex(/^[A-Za-z_]\w*$/, "is not a variable name");
export const text = z.string().min(1).optional();
/** A setting with its meaning, a sentence. */
export const setting = <T extends z.ZodType>(about: string, schema: T): T => schema.describe(about);

export const section = <T extends z.core.$ZodLooseShape>(about: string, shape: T) =>
  z.strictObject(shape).describe(about);
