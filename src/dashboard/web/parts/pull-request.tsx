import { Icon } from "./icon.tsx";
import { pullRequestName } from "../../../text/pull-request-name.ts";

/** A link for a web address; a local record is shown as text. */
export function PullRequest({ address }: { address: string | undefined }) {
  if (address === undefined) return null;
  if (!/^https?:\/\//.test(address)) {
    return <span className="font-mono text-xs">Pull request {pullRequestName(address)}</span>;
  }
  const number = /\/(?:pull|merge_requests|pulls)\/(?<number>\d+)/.exec(address)?.groups?.[
    "number"
  ];
  return (
    <a
      href={address}
      target="_blank"
      rel="noreferrer"
      className="inline-flex items-center gap-1 text-accent hover:underline"
    >
      {number === undefined ? "Pull request" : `Pull request #${number}`}
      <Icon name="outside" className="size-3" />
    </a>
  );
}
