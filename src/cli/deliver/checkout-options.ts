import type { Command } from "commander";

/** Answers the question that a terminal would ask. */
export const withCheckoutOptions = (command: Command, when = ""): Command =>
  command
    .option("--update-checkout", `${when}also update a clean checkout of the target`)
    .option("--no-update-checkout", `${when}do not update any checkout, and do not ask`);
