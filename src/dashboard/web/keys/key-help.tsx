import { Dialog } from "../parts/dialog.tsx";
import { KEY_HELP } from "./keymap.ts";

export function KeyHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-6 gap-y-2 text-sm">
        {KEY_HELP.map(([keys, what]) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="rounded-md border border-line bg-sunken px-2 py-0.5 font-mono text-xs whitespace-pre">
                {keys}
              </kbd>
            </dt>
            <dd className="text-soft">{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
