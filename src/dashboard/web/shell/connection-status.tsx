import { useConnectionState, useIsOutdated } from "../live/hooks.ts";

/** A small dot while connected. A lost connection is shown quietly: the page reconnects by itself. */
export function ConnectionStatus() {
  const state = useConnectionState();
  const isOutdated = useIsOutdated();
  if (isOutdated) {
    return (
      <button
        type="button"
        onClick={() => location.reload()}
        className="rounded-md px-1 text-2xs text-accent underline"
      >
        Saga was updated: reload
      </button>
    );
  }
  return (
    <span role="status" className="flex items-center gap-2 text-2xs text-faint">
      <span
        className={`size-2 rounded-full ${state === "live" ? "bg-good" : state === "lost" ? "bg-ask" : "bg-edge"}`}
      />
      {state === "live" ? (
        <span className="sr-only md:not-sr-only">Live</span>
      ) : state === "lost" ? (
        <span>
          Reconnecting…
          <span className="sr-only md:not-sr-only md:block">
            Is <code className="font-mono">saga dashboard</code> still running?
          </span>
        </span>
      ) : (
        "Connecting…"
      )}
    </span>
  );
}
