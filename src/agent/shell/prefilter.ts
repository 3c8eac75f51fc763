// A glance at a shell command: most change nothing that the guard could judge, and a hook script need
// not load it for them. It errs on the side of looking.

/** Streams that lead into each other, or nowhere. */
const HARMLESS = /\d?>&\d|[\d&]?>>? ?\/dev\/null(?![\w/.-])/g;

/** The programs that the guard knows. As one expression they would take longer to compile than all the rest here. */
const PROGRAMS: ReadonlySet<string> = new Set(
  "rm rmdir unlink mkdir mkfifo touch truncate tee sponge shred cp mv ln install rsync scp dd sed perl ruby chmod chown chgrp tar unzip patch curl wget git find eval".split(
    " ",
  ),
);

/** Whether it names a program that the guard knows, or one in a strange way. */
export const mayStart = (command: string): boolean =>
  /\\[a-z]/.test(command) || command.split(/\W+/).some((word) => PROGRAMS.has(word));

export const mayChange = (command: string): boolean =>
  mayStart(command) || (command.includes(">") && command.replaceAll(HARMLESS, " ").includes(">"));
