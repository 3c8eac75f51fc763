import { openText, readAddress } from "../../../dashboard/server/address.ts";
import { SagaError } from "../../../errors.ts";
import type { Environment } from "../../../machine/processes/environment.ts";
import { dashboardAnswers, openInBrowser } from "../../viewer/browser.ts";
import type { Build } from "../../program/command.ts";

interface Options {
  readonly page?: boolean;
  readonly print?: boolean;
}

export const build: Build = (builder) =>
  builder.action(
    builder
      .command(
        "open",
        "Open a story in the browser: its pull request, or its page in the dashboard.",
        [
          "saga open add-login",
          "saga open add-login --page      the dashboard's page, even if it has a pull request",
          "saga open add-login --print     only print the address",
        ],
      )
      .argument("<story>", "the story")
      .option("--page", "open its page in the dashboard")
      .option("--print", "print the address instead of opening it"),
    async ({ io, openProject }, [storyId = ""], { page = false, print = false }: Options) => {
      const store = openProject();
      const { story } = await store.readStory(storyId);
      const pull = page ? undefined : webAddress(story.pr);
      const url = pull ?? (await pageAddress(io.env, store.project, storyId));
      if (url === undefined) throw noAddress(storyId, page);
      const kind = pull === undefined ? "page" : "pull-request";
      const isOpened = !print && (await openInBrowser(io, url));
      if (!print && !isOpened) io.writeError("saga: Could not open a browser; open it yourself:\n");
      return {
        json: { story: storyId, kind, url, isOpened },
        text: () => (isOpened ? `Opened ${url.replace(/\?.*$/, "")}\n` : `${url}\n`),
      };
    },
  );

/** A pull request of the local forge has no page. */
const webAddress = (pr: string | undefined): string | undefined =>
  pr !== undefined && /^https?:\/\//.test(pr) ? pr : undefined;

/** Undefined if no dashboard is running. */
async function pageAddress(
  env: Environment,
  project: string,
  storyId: string,
): Promise<string | undefined> {
  const address = readAddress(env, project);
  if (address === undefined || !(await dashboardAnswers(address))) return undefined;
  return openText(address, Date.now(), `/story/${storyId}`);
}

const noAddress = (storyId: string, isPageWanted: boolean): SagaError =>
  new SagaError(
    "not-found",
    isPageWanted
      ? "The dashboard is not running."
      : `${storyId} has no pull request on the web, and the dashboard is not running.`,
    {
      hint: "Start the dashboard in another terminal: `saga dashboard`. `saga diff` shows the changes here.",
    },
  );
