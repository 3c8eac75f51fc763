// A process that creates many receipt keys and prints them. Arguments: the parent of the state folders, their number.

import { join } from "node:path";
import { makeReceiptKey } from "../../../src/store/runs/receipt-key.ts";

const [folder = "", count = "0"] = process.argv.slice(2);
const keys = Array.from({ length: Number(count) }, (_, at) => {
  const { key, problem } = makeReceiptKey({ XDG_STATE_HOME: join(folder, String(at)) });
  return problem ?? key?.toString("hex");
});
process.stdout.write(JSON.stringify(keys));
