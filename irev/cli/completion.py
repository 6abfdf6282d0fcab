"""``irev completion``: the script that makes a shell complete irev's commands, options, measures and files, and what
answers the shell when it asks.

click has the machinery; two things are done otherwise. bash breaks words at ``@``, ``=`` and ``:``, so its script hands
over the line as it stands, and takes off what comes before the last break. And a value of which nothing is known is the
name of a file, as shells have it.
"""

from __future__ import annotations

import os
from typing import ClassVar

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    shell_complete,
    split_arg_string,
)

from irev.cli.help import Command

VARIABLE = "_IREV_COMPLETE"
"""The variable by which a shell asks: ``bash_complete``, or ``bash_source`` for the script."""


_BASH = """\
%(complete_func)s() {
    local line=${COMP_LINE:0:COMP_POINT} breaks=$COMP_WORDBREAKS word before="" response
    mapfile -t response < <(COMP_WORDS=$line %(complete_var)s=bash_complete "$1" 2>/dev/null)
    word=${line##*[[:space:]]}
    # Inside quotes bash breaks no words; elsewhere it puts in only what follows the last break.
    if [[ $word != [\\'\\"]* ]]; then
        before=${word%%"${word##*[$breaks]}"}
        # A break at @ may begin the name of a host, and bash puts it in too.
        shopt -q hostcomplete && before=${before%%@}
    fi
    COMPREPLY=()
    local item files=""
    for item in "${response[@]}"; do
        case $item in
            file,*) files=yes ;;
            plain,*) COMPREPLY+=("${item#plain,}") ;;
        esac
    done
    if [[ $files && ${#COMPREPLY[@]} -eq 0 ]]; then
        compopt -o default
    elif [[ $files ]]; then
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames
    fi
    if [[ ${#COMPREPLY[@]} -eq 1 && $COMPREPLY == *[@.,=_] ]]; then
        compopt -o nospace
    fi
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""

_ZSH = """\
#compdef %(prog_name)s

%(complete_func)s() {
    local -a described open plain response
    local type key meaning
    response=("${(@f)$(COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT-1)) %(complete_var)s=zsh_complete \\
        ${words[1]} 2>/dev/null)}")
    for type key meaning in ${response}; do
        if [[ $type == file ]]; then
            _files
        elif [[ $type == plain && $key == *[@.,=_] ]]; then
            open+=("${key}:${meaning}")
        elif [[ $type == plain && $meaning == _ ]]; then
            plain+=("$key")
        elif [[ $type == plain ]]; then
            described+=("${key}:${meaning}")
        fi
    done
    (( $#described )) && _describe -V unsorted described -U
    (( $#open )) && _describe -V open open -U -S ''
    (( $#plain )) && compadd -U -V plain -a plain
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""

_FISH = """\
function %(complete_func)s
    set -l words (commandline -cp)
    set -l word (commandline -ct)
    set -l command (commandline -cpo)[1]
    set -l response (COMP_WORDS="$words" COMP_CWORD="$word" %(complete_var)s=fish_complete $command 2>/dev/null)
    for item in $response
        set -l parts (string split -m 1 "," -- $item)
        switch $parts[1]
            case file
                __fish_complete_path $parts[2]
            case plain
                echo $parts[2]
        end
    end
end

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


class _Completed(ShellComplete):
    """What all shells get: click's answers, and files where there is nothing else."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        if not args and incomplete.startswith("-"):  # an option of `eval`, which need not be named
            args = ["eval"]
        found = super().get_completions(args, incomplete)
        option, equals, _ = incomplete.partition("=")
        if equals and option.startswith("--"):
            for item in found:
                item.value = option + equals + item.value
        elif option.startswith("-"):
            # trec_eval's long names are understood, and have an underscore; nobody need learn them here.
            return [item for item in found if "_" not in item.value or "_" in incomplete]
        return found or [CompletionItem(incomplete, type="file")]


class Bash(_Completed, BashComplete):
    """bash, which tells the line up to the cursor."""

    source_template: ClassVar[str] = _BASH

    def source(self) -> str:
        return ShellComplete.source(self)  # without starting a bash to learn its version

    def get_completion_args(self) -> tuple[list[str], str]:
        line = os.environ["COMP_WORDS"]
        words = split_arg_string(line)
        # Where a word begins with whatever is typed next, the one to complete is still empty.
        begins = len(split_arg_string(f"{line}x")) > len(words)
        return (words[1:], "") if begins else (words[1:-1], words[-1])


class Zsh(_Completed, ZshComplete):
    """zsh, which tells the words and the number of the one to complete."""

    source_template: ClassVar[str] = _ZSH


class Fish(_Completed, FishComplete):
    """fish, which tells the line up to the cursor and the word to complete."""

    source_template: ClassVar[str] = _FISH


SHELLS: dict[str, type[ShellComplete]] = {"bash": Bash, "zsh": Zsh, "fish": Fish}


@click.command(
    "completion",
    cls=Command,
    epilog="irev completion bash",
)
@click.argument("shell", metavar="SHELL", type=click.Choice(list(SHELLS)))
@click.pass_context
def completion_command(ctx: click.Context, /, shell: str) -> None:
    """Print the script that makes SHELL complete commands, options, names of measures and files.

    \b
    bash: eval "$(irev completion bash)"     in ~/.bashrc
    zsh:  eval "$(irev completion zsh)"      in ~/.zshrc, after compinit
    fish: irev completion fish | source      in ~/.config/fish/config.fish
    """
    click.echo(SHELLS[shell](ctx.find_root().command, {}, "irev", VARIABLE).source(), nl=False)


def answer(instruction: str, irev: click.Command) -> int:
    """Print what a shell asks for by `VARIABLE`; the exit status."""
    for name, shell in SHELLS.items():
        add_completion_class(shell, name)
    return shell_complete(irev, {}, "irev", VARIABLE, instruction)
