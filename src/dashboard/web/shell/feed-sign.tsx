import { useFeed, useIsOutdated } from "../live/hooks.ts";

/** A small dot while connected. A lost connection is no alarm: the page reconnects by itself. */
export function FeedSign() {
  const feed = useFeed();
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
        className={`size-2 rounded-full ${feed === "live" ? "bg-good" : feed === "lost" ? "bg-ask" : "bg-edge"}`}
      />
      {feed === "live" ? (
        <span className="sr-only md:not-sr-only">Live</span>
      ) : feed === "lost" ? (
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
