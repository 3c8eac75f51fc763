import { describe, expect, it } from "vitest";
import { judgeToolCall } from "../tool-call.ts";
import { newWorld, verdict } from "../../../test/support/shell-world.ts";

// In the tables: $W the story's worktree, $P the project, $O a folder outside, $T a temporary folder.

describe("a shell may", () => {
  it.each([
    ["nothing at all", ""],
    ["read anywhere", "ls ../ && cat ../../../src/a.ts | head -5"],
    ["search in another worktree", 'grep -r "foo" ../other'],
    ["compare with the main checkout", "diff -u $P/src/a.ts src/a.ts > changes.diff"],
    ["copy from elsewhere", "cp ../../../src/a.ts src/b.ts"],
    ["write a file", "echo a > src/b.ts; echo b >> $W/src/b.ts"],
    ["write the own story's notes", "echo done >> .saga/stories/login/journal.md"],
    ["write a file from a here-document", "cat <<'EOF' > src/a.ts\nrm -rf ../..\necho > ../x\nEOF"],
    [
      "write to a file given before the here-document",
      "cat > a.sh <<EOF\ncd ../other; rm x\nEOF\nls",
    ],
    ["indent a here-document", "cat <<-EOF\n\trm -rf /\n\tEOF\nls"],
    ["have two here-documents on a line", "cat <<A <<'B'\nrm -rf /\nA\n$(rm -rf /)\nB\nls"],
    ["leave a here-document open", "cat <<EOF\nrm -rf /"],
    ["use a here-string", 'cat <<< "> ../x" && wc <<<$X'],
    ["compute", "echo $((1<<2)) $(( (1 > 0) )) && (( a > b )) && for ((i=0;i>3;i++)); do ls; done"],
    ["compare texts", '[[ a > b && $x =~ ^(a|b)$ ]] && [[ ! ( "$a" < "$b" ) ]] || test 1 -gt 0'],
    ["quote what looks like a command", 'git commit -m "rm -rf / > ../x"; echo "a > b" \'> ../x\''],
    ["escape what looks like one", "echo a \\> ../x \\; rm"],
    ["quote over lines", "echo '\nrm -rf ../..\n' \"\nrm -rf ../..\n\""],
    ["comment", "ls # > ../x\n# rm -rf ../..\nls a#b"],
    [
      "commit with a long message",
      `git commit -m "$(cat <<'EOF'\nfix: don't "rm -rf ../.."\n> ../x\nEOF\n)"`,
    ],
    [
      "run another language",
      `node -e "require('fs'); a => 1 > ../x" && awk '{ print > "../x" }' f`,
    ],
    ["run Python from a here-document", "python3 - <<'EOF'\nopen('../x','w')\nx = 1 > 2\nEOF"],
    ["run scripts of the project", "npm test -- --run src && npm run build 2>&1 | tail -20"],
    ["silence a program", "make > /dev/null 2>&1; ls 2>/dev/null >&2 &>/dev/null; ls 2>&-"],
    [
      "write to what is no file",
      "echo x > /dev/stderr; echo >/dev/tty; exec 3<>/dev/tcp/localhost/80",
    ],
    ["duplicate a stream", "ls 2>&1 1>&2 >&2 3>&1-"],
    ["put a program into the background", "npm start & sleep 1; kill %1"],
    ["read what a program writes", "diff <(sort ../a) <(sort ../b) | tee >(wc -l)"],
    ["remove its files", "rm -rf dist src/deep; rm -f *.log; rm -- -x; rmdir empty; unlink a"],
    ["remove all that git keeps", "rm -rf *"],
    ["take a repository apart that was made inside", "rm -rf sub/.git src/deep/.git"],
    ["push its own branch", "git push; git push -u origin HEAD; git push origin story/login"],
    ["remove by a list", "rm -f {a,b}.txt src/{c,d}/*.js file{1..9}"],
    ["remove hidden files by name", "rm -rf .cache .next .env.* .github"],
    [
      "remove a link that leads outside",
      "rm out main; rm -rf node_modules; unlink out-file; mv out in2",
    ],
    [
      "copy and move inside",
      "cp -r src lib && mv lib/a.ts lib/b.ts && mv -t lib a b && cp a{,.bak}",
    ],
    ["copy with the folder first", "cp -t src ../../../src/*.ts; install -D -m 755 ../x bin/x"],
    ["link to anything", "ln -s ../../../node_modules node_modules2; ln -sf /usr/bin/env env"],
    ["change modes inside", "chmod +x run.sh; chmod -x a; chmod -R u+w .; chown -R me:me src"],
    ["edit in place", "sed -i 's#../../x#/etc/y#' src/a.ts && perl -pi -e 's/a/b/' src/a.ts"],
    [
      "edit in place, where a suffix is wanted",
      "sed -i '' '/x/d' src/a.ts; sed -i.bak -e '/a/d' a",
    ],
    [
      "edit a stream",
      "sed -n '/x/w /dev/stdout' ../x | perl -ne 'print' ../x; perl gen.pl -i ../x",
    ],
    ["make files", "mkdir -p -m 755 a/b && touch -r ../x a/b/c; truncate -s 0 log; tee a b < c"],
    ["unpack inside", "tar xzf ../x.tgz -C src && tar -xf a.tar && unzip -q ../a.zip -d src"],
    ["list archives", "tar tzf ../../x.tgz; unzip -l ../x.zip; (cd ..; tar tf x; unzip -p x)"],
    ["fetch", "curl -sSL -o out.json https://x/y; curl -H 'A: /b' https://x; wget -qO- https://x"],
    ["patch", "patch -p1 < ../x.patch; patch -p1 -i ../x.patch; git apply ../x.patch"],
    ["copy bytes", "dd if=/dev/zero of=zeros bs=1k count=1; dd if=../x"],
    ["synchronise with another machine", "rsync -a dist/ host:/srv/app; scp a host:"],
    [
      "find and delete inside",
      "find . -name '*.pyc' -delete; find src -type f -delete; find -name x",
    ],
    [
      "find elsewhere without a change",
      "find ../.. -name x -exec grep foo {} + -print; find / -maxdepth 1",
    ],
    [
      "find and change inside",
      "find . -name '*.ts' -exec sed -i 's/a/b/' {} + ; find src -exec rm {} \\;",
    ],
    ["remove what others find", "git ls-files -o | xargs rm -f; ls | xargs -I{} mv {} src/"],
    ["go into a folder", "cd src && rm -rf ../dist && cd .. && rm a; cd $W; rm a"],
    ["leave in a subshell", "(cd ../..; ls) ; rm a"],
    ["leave in a substitution", "x=$(cd ../other && pwd); rm a"],
    ["leave and come back", "cd ../other; cat a; cd -; rm a; pushd ..; ls; popd; rm b"],
    ["leave in a function", "f() { cd ../other; ls; }; f; rm a; function g { ls > a; }"],
    ["go where nobody knows", "cd $X && rm a; cd */; rm b; cd; cd $W && rm a"],
    [
      "go to the top of its repository",
      'cd "$(git rev-parse --show-toplevel)" && rm -rf dist > log',
    ],
    ["loop", 'for f in *; do rm "$f"; done; while read x; do echo $x >> log; done < ../x'],
    ["loop over files elsewhere", "for f in ../other/*; do cat $f > copy; done"],
    ["choose", 'case "$1" in a|rm) ls;; (../x) rm a ;; *) echo > b;& esac > log'],
    ["choose in a substitution", "echo $(case x in x) ls;; esac) > a"],
    ["decide", "if [ -f ../x ]; then rm a; elif ! true; then rm b; else rm c; fi"],
    ["group", "{ ls; rm a; } > log; ! rm b; time rm c"],
    ["set variables", "A=1 B=../x rm a; FILES=(../x > $(ls)); declare -a x; a+=(../y)"],
    ["use variables", 'rm -rf "$X" $DIR/x ${Y:-../z} "${A[@]}" $1; echo > $LOG; echo > "../$X"'],
    ["use variables in its own folders", "rm src/$f .saga/stories/$ID/x $PWD/a ${PWD}/b"],
    ["use names that only look like home", 'rm "~/x" a~ src/~'],
    ["use a home of its own", "HOME=$W/home; mkdir -p $HOME/x ~/y"],
    [
      "use temporary files",
      "echo a > $T/x; mktemp -d; rm -rf $T/x; cp a $T; mkdir /var/tmp/saga-x",
    ],
    [
      "use temporary files by name",
      "echo > $TMPDIR/a; echo > ${TMPDIR:-/tmp}/b; cd $T && rm -rf c",
    ],
    ["use temporary files by a pattern", "rm -f /tmp/saga-unknown-* $T/*.log $T/[ab]? /tmp/$X"],
    ["use git", "git add -A && git commit -qm x && git push -u origin HEAD && git rebase -i main"],
    [
      "throw its own changes away",
      "git reset --hard; git checkout .; git clean -fdx; git restore a",
    ],
    ["make branches", "git checkout -b try story/other && git branch -D try && git switch -c x"],
    [
      "look at another branch",
      "git checkout story/other -- src/a.ts; git checkout --detach epic/e",
    ],
    [
      "read git elsewhere",
      "git -C ../other log; git -C ../.. status; cd ../other; git diff; git stash list",
    ],
    [
      "read git's lists",
      "git worktree list; git branch -a; git reflog; git stash show; git remote -v",
    ],
    ["use the stash", "git stash && npm test; git stash pop; git stash apply stash@{0}"],
    [
      "push its own branch",
      "git push -f origin HEAD; git push --force-with-lease origin story/login",
    ],
    ["push by name", "git push origin +HEAD:story/login $X; git push --force; git push origin :$X"],
    [
      "name its own repository",
      "git --git-dir=.git --work-tree=. add a; git -C src rm a; git -C $X rm a",
    ],
    [
      "have a repository for a trial",
      "cd $T && git init x && git worktree add y && git stash clear",
    ],
    ["clone", "git clone ../../.. copy; git clone -b main https://x/y.git; git init sub"],
    ["tidy up gently", "git gc; git prune -n; git update-ref refs/heads/x HEAD"],
    ["move its own branch", "git update-ref refs/heads/story/login HEAD~1; git symbolic-ref HEAD"],
    [
      "do as it likes in a repository inside",
      "git -C vendor/sub push origin main; cd vendor/sub && git checkout story/x; git stash drop",
    ],
    ["do so from a folder of it", "cd vendor/sub/src/deep && git branch -f main HEAD && git prune"],
    ["do so in one without files", "git -C bare.git symbolic-ref HEAD refs/heads/main"],
    [
      "do so in one that it has just made",
      "mkdir -p t/repo && cd t/repo && git init -qb main && git worktree add ../wt && git gc --prune=now",
    ],
    [
      "do so in one that it has just copied",
      "git clone $P && git clone https://x/y.git && cd y && git push origin main",
    ],
    ["name one inside", "GIT_DIR=vendor/sub/.git git update-ref refs/heads/main HEAD"],
    [
      "have a repository elsewhere",
      "GIT_DIR=$T/x/.git GIT_WORK_TREE=$T/x git add a; GIT_DIR=$X git rm a; GIT_DIR= git add a",
    ],
    [
      "fetch branches",
      "git fetch; git fetch origin main; git fetch origin main:refs/remotes/origin/main +a:b",
    ],
    ["pull", "git pull --rebase origin main; git rebase --onto main story/other; git merge next"],
    [
      "make and move branches of its own",
      "git branch x; git branch -f x main; git branch -C main x; git checkout -B x main; git branch -d x",
    ],
    [
      "take files from the target",
      "git checkout main -- a; git checkout next src; git restore -s main a; git checkout -p main",
    ],
    ["look at the target", "git switch --detach main; git checkout origin/main; git checkout -"],
    ["restore a file", "git checkout release-notes.md; git checkout mainly.ts"],
    ["ask for what links mean", "git symbolic-ref --short refs/remotes/origin/HEAD"],
    [
      "remove by lists",
      "rm -rf {src,dist}/{a,b} {*.log,x?} {a,b}{1..3}; rm {} {a} @{u}; echo {a,b",
    ],
    ["list more than can be judged", `rm ${"{a,b,c,d}".repeat(9)}`],
    [
      "find and remove all but what is kept",
      "find . -mindepth 1 -maxdepth 1 ! -name .git ! -name .saga -exec rm -rf {} +",
    ],
    ["find and change files", "find . -type f -exec chmod 644 {} + ; find src -exec rm -rf {} +"],
    [
      "find and delete temporary files",
      "find /var/tmp -name 'x*' -delete; find /dev/shm/x -delete; echo > /dev/shm/x",
    ],
    ["remove a link into the main checkout", "rm cache"],
    ["ask where programs are", "command -v rm; which rm; type git; env; sudo -n true; time"],
    [
      "run in other ways",
      "env A=1 timeout -k 5 10 nice -n 5 npm test; exec bash script.sh -c 'rm ../x'",
    ],
    [
      "run a shell in a shell",
      'bash -lc \'cd src && rm -rf dist > log\'; sh -c "rm $X"; eval "rm a"',
    ],
    [
      "give a text of its own to a shell",
      "bash -o pipefail -c 'echo \"> ../x\"'; bash -s < x; bash -x a.sh",
    ],
    ["delete elsewhere on another machine", "ssh host 'rm -rf /srv/x'; docker run x rm -rf /y"],
    ["forget a quote", "echo 'a > ../x"],
    ["forget a bracket", "echo $(rm -rf ../.."],
    [
      "forget a word",
      "rm; > ; cp; cp ../x; mv; tar; dd; sed -i; xargs; find; git; git -C; bash -c; cd",
    ],
    ["write strangely", "}; ) ;; esac ]] done & && || | |& ( ) { } $ ` "],
    ["say `-` for a stream", "tar cf - . | ssh x; curl -o - x; cd ..; curl -o - x; echo | tee -"],
  ])("%s", (_, command) => {
    expect(verdict(command)).toBe("allowed");
  });
});

it("looks at the command alone, not at what is said about it", () => {
  const scope = newWorld();
  const call = { tool: "Bash", cwd: scope.worktree };
  const input = { command: "ls", description: "rm -rf ../..", path: "../x" };
  expect(judgeToolCall(scope, { ...call, input })).toEqual({ isAllowed: true });
  expect(judgeToolCall(scope, { ...call, input: {} })).toEqual({ isAllowed: true });
});
