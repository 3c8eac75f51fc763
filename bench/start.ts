import { execFileSync } from "node:child_process";
import { ratioFigure, sideBySide, type Figure } from "./table.ts";

/** Without the certificates that some machines load at every start: they would hide the difference. */
const env = { PATH: process.env["PATH"] };

export async function startFigure(saga: string): Promise<Figure> {
  const node = (...args: string[]): Buffer => execFileSync(process.execPath, args, { env });
  const { floorMs, oursMs } = await sideBySide(
    40,
    () => node("-e", "0"),
    () => node(saga, "--help"),
  );
  return ratioFigure("saga --help, against node -e 0", floorMs, oursMs, 1.3);
}
