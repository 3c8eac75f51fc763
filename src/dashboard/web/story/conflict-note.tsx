import { conflictWords } from "../../../story/early-warning/conflict-words.ts";
import { otherSide } from "../../../story/early-warning/conflicts-ahead.ts";
import { useConflictIds } from "../landing/conflict-list.tsx";
import { EntryName } from "../landing/entry-name.tsx";
import { useEntity } from "../live/hooks.ts";
import { Sentence } from "../parts/text/sentence.tsx";

/** What a merge of the story would meet, and what to do. Nothing without a conflict. */
export function ConflictNote({ story }: { story: string }) {
  const ids = useConflictIds([story]);
  if (ids.length === 0) return null;
  return (
    <section aria-label="Conflicts ahead" className="mb-7 rounded-xl bg-ask-wash px-4 py-3 text-sm">
      <h2 className="text-xs font-semibold text-ask">
        {ids.length > 1 ? `${ids.length} conflicts ahead` : "Conflict ahead"}
      </h2>
      <ul className="mt-1 space-y-2">
        {ids.map((id) => (
          <ConflictItem key={id} id={id} story={story} />
        ))}
      </ul>
    </section>
  );
}

function ConflictItem({ id, story }: { id: string; story: string }) {
  const conflict = useEntity("conflicts", id);
  if (conflict === undefined) return null;
  const { kind, name } = otherSide(conflict, story);
  const { files, advice } = conflictWords(conflict, { from: story });
  return (
    <li>
      <p className="font-medium">
        Merged now, it would conflict with{" "}
        {kind === "story" ? (
          <EntryName name={name} className="underline" />
        ) : (
          <>
            <code className="font-mono text-xs">{name}</code>, its target,
          </>
        )}{" "}
        in <code className="font-mono text-xs break-words">{files}</code>.
      </p>
      <p className="mt-0.5 text-soft">
        <Sentence text={advice} />
      </p>
    </li>
  );
}
