import { Command } from "../parts/copy.tsx";

/** The server is there, and this browser was never given its address with the key. */
export function Locked() {
  return (
    <main className="mx-auto max-w-md px-4 pt-[20vh]">
      <h1 className="text-xl font-semibold tracking-[-0.015em]">This browser is not let in yet</h1>
      <p className="mt-1.5 mb-4 text-soft">
        Open the address that the dashboard prints when it starts: it holds the key. Once is enough.
      </p>
      <Command>saga dashboard --open</Command>
    </main>
  );
}
