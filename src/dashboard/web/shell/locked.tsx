import { Command } from "../parts/copy.tsx";

/** Shown when the server runs but this browser has no cookie yet. */
export function Locked() {
  return (
    <main className="mx-auto max-w-md px-4 pt-[20vh]">
      <h1 className="text-xl font-semibold tracking-[-0.015em]">This link needs its key</h1>
      <p className="mt-1.5 mb-4 text-soft">
        Open the link that the dashboard prints when it starts: it contains the key. Each browser
        needs it once.
      </p>
      <Command>saga dashboard --open</Command>
    </main>
  );
}
