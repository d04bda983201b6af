import { HoldfastError, type OptionDeclarations } from '@holdfast/foundation'
import { flagName, nearest } from '../config/names.ts'
import type { CommandInput } from './command.ts'
import type { CommandEntry } from './commands/entry.ts'

/** Completions at a position of the command line. */
interface Place {
  /** Preceding words without options, such as `db`; empty for the first word. */
  readonly before: string
  readonly words: readonly Choice[]
  readonly flags: readonly Choice[]
}

interface Choice {
  readonly text: string
  readonly meaning: string
}

const SHELLS: Readonly<Record<string, (places: readonly Place[]) => string>> = { bash, zsh, fish }

/** Length limit of a displayed description in characters. */
const MEANING_CHARS_MAX = 80

/**
 * `holdfast completion bash|zsh|fish`: prints the shell completion script.
 *
 * @returns the exit code
 * @throws {HoldfastError} `option_invalid` for another shell
 */
export function completion({ words, out }: CommandInput, commands: readonly CommandEntry[]): number {
  const [shell = ''] = words
  const write = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined
  if (write === undefined) {
    const meant = nearest(shell, Object.keys(SHELLS))
    throw new HoldfastError('option_invalid', 500, `"${shell}" is not a shell that can be completed for.`, {
      hint: meant
        ? `Did you mean "holdfast completion ${meant}"?`
        : 'Write "holdfast completion bash", "zsh" or "fish".',
    })
  }
  out(write(placesOf(commands)))
  return 0
}

function placesOf(commands: readonly CommandEntry[]): readonly Place[] {
  const places = new Map<string, { words: Map<string, string>; flags: Map<string, string> }>()
  const at = (before: string): { words: Map<string, string>; flags: Map<string, string> } => {
    const place = places.get(before) ?? { words: new Map(), flags: new Map() }
    places.set(before, place)
    return place
  }
  for (const { words, summary, options } of commands) {
    const [first = '', second] = words.split(' ')
    const isGroup = second !== undefined
    if (!at('').words.has(first)) at('').words.set(first, isGroup ? '' : summary)
    if (isGroup && !at(first).words.has(second)) at(first).words.set(second, summary)
    for (const [flag, meaning] of flagsOf(options)) at(words).flags.set(flag, meaning)
  }
  for (const shell of Object.keys(SHELLS)) at('completion').words.set(shell, '')
  return [...places].map(([before, { words, flags }]) => ({ before, words: choices(words), flags: choices(flags) }))
}

/** Excludes secrets, which have no options because command lines are visible to all users. */
function flagsOf(options: OptionDeclarations): readonly (readonly [string, string])[] {
  return Object.entries(options)
    .filter(([, { secret }]) => !secret)
    .map(([name, { type, description, default: byDefault }]) => {
      const flag = flagName(name)
      return [type === 'boolean' && byDefault === true ? `--no-${flag.slice(2)}` : flag, description]
    })
}

function choices(meanings: ReadonlyMap<string, string>): readonly Choice[] {
  return [...meanings].map(([text, meaning]) => ({ text, meaning: shorten(meaning) }))
}

/** Returns the first sentence without shell metacharacters. */
function shorten(meaning: string): string {
  const sentence = (meaning.split(/[.;:](?:\s|$)|\s\(/)[0] ?? '').replaceAll(/[`'"\\$[\]]/g, '')
  return sentence.length <= MEANING_CHARS_MAX ? sentence : `${sentence.slice(0, MEANING_CHARS_MAX - 1).trimEnd()}…`
}

const textsOf = (list: readonly Choice[]): string => list.map(({ text }) => text).join(' ')

/** Completes files where neither word nor option matches. */
function bash(places: readonly Place[]): string {
  const cases = (list: (place: Place) => readonly Choice[]): string =>
    places
      .filter((place) => list(place).length > 0)
      .map((place) => `    '${place.before}') choices='${textsOf(list(place))}' ;;`)
      .join('\n')
  return `# Completes holdfast in bash: eval "$(holdfast completion bash)"
_holdfast() {
  local current=\${COMP_WORDS[COMP_CWORD]} before='' choices='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "\${COMP_WORDS[index]}" in
    -*) ;;
    *) before="\${before:+$before }\${COMP_WORDS[index]}" ;;
    esac
  done
  case "$current" in
  -*)
    before=$(printf '%s' "$before" | cut -d ' ' -f 1-2)
    _holdfast_flags "$before"
    [ -n "$choices" ] || _holdfast_flags "\${before%% *}"
    ;;
  *)
    case "$before" in
${cases(({ words }) => words)}
    esac
    ;;
  esac
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
_holdfast_flags() {
  case "$1" in
${cases(({ flags }) => flags)}
  esac
}
complete -o default -F _holdfast holdfast
`
}

function zsh(places: readonly Place[]): string {
  const described = (list: readonly Choice[]): string =>
    list.map(({ text, meaning }) => `'${text}${meaning === '' ? '' : `:${meaning}`}'`).join(' ')
  const cases = (list: (place: Place) => readonly Choice[]): string =>
    places
      .filter((place) => list(place).length > 0)
      .map((place) => `    '${place.before}') choices=(${described(list(place))}) ;;`)
      .join('\n')
  return `#compdef holdfast
# Completes holdfast in zsh: eval "$(holdfast completion zsh)", after compinit.
_holdfast() {
  local -a before choices
  before=(\${\${words[2,CURRENT-1]}:#-*})
  if [[ $PREFIX == -* ]]; then
    _holdfast_flags "\${(j: :)before[1,2]}"
    (( $#choices )) || _holdfast_flags "$before[1]"
    _describe -o option choices
    return
  fi
  case "\${(j: :)before}" in
${cases(({ words }) => words)}
    *) _files; return ;;
  esac
  _describe command choices
}
_holdfast_flags() {
  case "$1" in
${cases(({ flags }) => flags)}
  esac
}
if [[ $funcstack[1] == _holdfast ]]; then _holdfast "$@"; else compdef _holdfast holdfast; fi
`
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ before, words, flags }) => [
    ...words.map(
      ({ text, meaning }) => `complete -c holdfast -f -n "__holdfast_is '${before}'" -a ${text}${described(meaning)}`,
    ),
    ...flags.map(
      ({ text, meaning }) =>
        `complete -c holdfast -n "__holdfast_begins '${before}'" -l ${text.slice(2)}${described(meaning)}`,
    ),
  ])
  return `# Completes holdfast in fish: holdfast completion fish | source
function __holdfast_before
  set -l words (commandline -opc)
  string match -v -- '-*' $words[2..-1]
end
function __holdfast_is
  set -l before (string join ' ' (__holdfast_before))
  test "$before" = "$argv[1]"
end
function __holdfast_begins
  set -l before (string join ' ' (__holdfast_before))
  string match -q -- "$argv[1] *" "$before "
end
${lines.join('\n')}
`
}

function described(meaning: string): string {
  return meaning === '' ? '' : ` -d '${meaning}'`
}
