import { Link } from "wouter";
import { useActions } from "../actions/action-provider.tsx";
import { stopSession } from "../actions/questions.ts";
import { isSameList, useDerived, useEntity, useIsOffline, useHasSnapshot } from "../live/hooks.ts";
import type { SessionCard } from "../../protocol/messages.ts";
import { Button } from "../parts/button.tsx";
import { Command } from "../parts/copy.tsx";
import { Empty, Page, Panel, Tag } from "../parts/layout.tsx";
import { StateMark } from "../parts/state-mark.tsx";
import { Ago } from "../parts/time.tsx";
import { STORY_LOOKS } from "../words/states.ts";

export function SessionsPage() {
  const hasSnapshot = useHasSnapshot();
  const names = useDerived(
    ({ sessions }) =>
      Object.values(sessions)
        .toSorted(newestFirst)
        .map(({ name }) => name),
    isSameList,
  );
  if (!hasSnapshot) return null;
  return (
    <Page title="Sessions">
      {names.length === 0 ? (
        <Empty>
          No session is running. <code className="font-mono text-xs">saga run &lt;story&gt;</code>{" "}
          starts one.
        </Empty>
      ) : (
        <Panel className="divide-y divide-line">
          {names.map((name) => (
            <SessionRow key={name} name={name} />
          ))}
        </Panel>
      )}
    </Page>
  );
}

/** tmux stores seconds, but the name of a session ends with its start time in milliseconds. */
const newestFirst = (one: SessionCard, other: SessionCard): number =>
  startOf(other) - startOf(one) || one.name.localeCompare(other.name);

const startOf = ({ name, startedAt }: SessionCard): number =>
  Number(/-(?<ms>\d{13,})$/.exec(name)?.groups?.["ms"] ?? Date.parse(startedAt));

function SessionRow({ name }: { name: string }) {
  const session = useEntity("sessions", name);
  const isOffline = useIsOffline();
  const { ask } = useActions();
  const pools = useDerived(({ pool }) => Object.values(pool), isSameList);
  if (session === undefined) return null;
  const question = stopSession(session, pools);
  return (
    <article
      aria-label={name}
      className="grid grid-cols-1 items-center gap-x-6 gap-y-2.5 px-4 py-3.5 md:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_8.5rem] md:px-5"
    >
      <div className="min-w-0">
        <p className="flex items-center gap-2">
          <StateMark look={STORY_LOOKS.running} />
          <SessionTitle session={session} />
          {!session.isHere && <Tag>Another project</Tag>}
        </p>
        <p className="mt-0.5 truncate pl-6 text-xs text-faint">
          <span className="font-mono">{name}</span> · started <Ago at={session.startedAt} />
        </p>
      </div>
      <Command>{session.attach}</Command>
      {question && (
        <Button
          look="danger"
          className="md:justify-self-end"
          disabled={isOffline}
          onClick={() => ask(question)}
        >
          {session.worker === undefined ? "Stop…" : "Stop the pool…"}
        </Button>
      )}
    </article>
  );
}

function SessionTitle({ session }: { session: SessionCard }) {
  const title = useEntity("stories", session.story ?? "")?.title;
  const epic = useEntity("epics", session.epic ?? "");
  if (session.epic !== undefined) {
    return (
      <Link
        href={`/epic/${session.epic}`}
        data-row=""
        className="truncate font-medium hover:text-accent"
      >
        Epic run: {epic?.title ?? session.epic}
      </Link>
    );
  }
  if (session.story === undefined) {
    return <span className="truncate font-medium">{session.worker ?? session.name}</span>;
  }
  return (
    <Link
      href={`/story/${session.story}/log`}
      data-row=""
      className="truncate font-medium hover:text-accent"
    >
      {title ?? session.story}
    </Link>
  );
}
