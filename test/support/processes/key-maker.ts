// A process that needs many keys of receipts, and says which it got.
// Words: the folder of the state folders, how many there are.

import { join } from "node:path";
import { makeReceiptKey } from "../../../src/store/runs/receipt-key.ts";

const [folder = "", count = "0"] = process.argv.slice(2);
const keys = Array.from({ length: Number(count) }, (_, at) => {
  const { key, fault } = makeReceiptKey({ XDG_STATE_HOME: join(folder, String(at)) });
  return fault ?? key?.toString("hex");
});
process.stdout.write(JSON.stringify(keys));
