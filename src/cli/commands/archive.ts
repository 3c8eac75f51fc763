import type { Build } from "../command.ts";
import { plain } from "../output.ts";

export const build: Build = (shell) =>
  shell.action(
    shell
      .command("archive", "Move finished stories to the archive. They still count as completed.", [
        "saga archive user-auth--setup-db",
        "saga archive one-story another-story",
      ])
      .argument("<stories...>", "ids of completed stories"),
    async ({ openProject }, ids) => {
      const archived = await openProject().archive(ids);
      return {
        json: { archived },
        text: () =>
          archived
            .map(({ id, folder, wasThere }) =>
              wasThere
                ? `${id} is in the archive already.\n`
                : `${id} is now in ${plain(folder)}.\n`,
            )
            .join(""),
      };
    },
  );
