import { PROVIDER_NAMES } from '@holdfast/auth'
import type { OptionDeclaration, OptionDeclarations } from '@holdfast/foundation'
import type { SettingValue } from './load-config.ts'
import { flagName, variableName } from './names.ts'
import { optionGroups, type OptionGroup, options } from './options.ts'

/** Renders groups of options for a terminal. */
export function printOptions(groups: readonly OptionGroup[]): string {
  const parts = groups.map(({ title, options }) => {
    const lines = Object.entries(options).map(([name, declaration]) => {
      // Secrets do not belong on a command line, which every user of the machine can read.
      const flag = declaration.secret
        ? `  ${variableName(name, declaration)}`
        : `  ${flagName(name)}${valueHint(declaration)}`
      return `${flag.length > 38 ? `${flag}\n${' '.repeat(39)}` : flag.padEnd(39)}${wrap(describeOption(declaration), 39)}`
    })
    return `${title}\n${lines.join('\n')}`
  })
  return `${parts.join('\n\n')}\n\n${PRECEDENCE}\n`
}

/** Precedence of settings sources. */
export const PRECEDENCE = `Each option is also an environment variable (--db-port is HOLDFAST_DB_PORT) and a key of
holdfast.config.json ("dbPort"). The command line wins, then the environment, then the file.`

/** Returns the description of an option with its default. */
export function describeOption(declaration: OptionDeclaration): string {
  const fallback = defaultText(declaration)
  return `${declaration.description}${fallback === '' ? '' : ` (${fallback})`}`
}

/** Options that differ only in one part of their name. The reference shows the first of each as one row. */
const FAMILIES: readonly { readonly pattern: RegExp; readonly name: string; readonly meaning?: string }[] = [
  { pattern: new RegExp(`^external(?:${PROVIDER_NAMES.map(capitalize).join('|')})`), name: 'external<Provider>' },
  { pattern: /^emailTemplate\w+(?=ContentPath$)/, name: 'emailTemplate<Mail>', meaning: 'HTML file of that mail.' },
  { pattern: /^emailNotification\w+(?=Subject$)/, name: 'emailNotification<Change>', meaning: 'Subject of that mail.' },
  {
    pattern: /^emailNotification\w+(?=ContentPath$)/,
    name: 'emailNotification<Change>',
    meaning: 'HTML file of that mail.',
  },
  { pattern: /^hook\w+(?=Secrets$)/, name: 'hook<Name>' },
]

/** Renders `docs/reference/options.md`. A test compares the file with this. */
export function printReference(commands: readonly DocumentedCommand[], common: OptionDeclarations): string {
  const groups = optionGroups.map(({ title, options: own }) => {
    const rows = new Map<string, string>()
    for (const [name, declaration] of Object.entries(own)) {
      const family = FAMILIES.find(({ pattern }) => pattern.test(name))
      const shown = family ? name.replace(family.pattern, family.name) : name
      if (!rows.has(shown)) rows.set(shown, printRow(shown, declaration, family?.meaning))
    }
    return `## ${title}\n\n| option | values | default | meaning |\n| --- | --- | --- | --- |\n${[...rows.values()].join('\n')}\n`
  })
  return `# Options

Every setting. \`holdfast options --markdown\` prints this page from the declarations that the server uses.

The option \`dbPort\` is \`--db-port\` on the command line, \`HOLDFAST_DB_PORT\` in the environment and \`"dbPort"\` in
\`holdfast.config.json\`, in this order of precedence. Switches are on by their name and off with \`--no-\`; lists are
separated by commas. \`<Provider>\` is one of ${PROVIDER_NAMES.map(capitalize).join(', ')}: \`externalGithubEnabled\`.

${groups.join('\n')}
# Commands

Most commands also accept the options that say which server, database and project is meant:
${Object.entries(common)
  .flatMap(([name, { secret }]) => (secret ? [] : `\`${flagName(name)}\``))
  .join(', ')}.

${commands.flatMap((command) => printCommand(command, common) ?? []).join('\n')}`
}

function printRow(name: string, declaration: OptionDeclaration, meaning: string | undefined): string {
  const { default: fallback, description, env } = declaration
  const provider = name.startsWith('external<') ? PROVIDER_NAMES[0] : undefined
  const text = meaning ?? (provider ? description.replace(provider, 'the provider') : description)
  return `| ${[
    `\`${name}\``,
    typeText(declaration),
    fallback === undefined || valueText(fallback) === '' ? '–' : `\`${valueText(fallback)}\``,
    `${text}${env === undefined ? '' : ` In the environment \`${env}\`.`}`.replaceAll('|', '\\|'),
  ].join(' | ')} |`
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A command as the reference shows it. */
export interface DocumentedCommand {
  readonly words: string
  readonly argument?: string
  readonly summary: string
  readonly options: OptionDeclarations
}

/** @returns `undefined` for a command without options of its own */
function printCommand(
  { words, argument, summary, options: all }: DocumentedCommand,
  common: OptionDeclarations,
): string | undefined {
  const own = Object.entries(all).filter(([name, { secret }]) => !(name in options) && !(name in common) && !secret)
  if (own.length === 0) return undefined
  if (summary.startsWith('The same as')) return `## \`holdfast ${words}\`\n\n${summary}.\n`
  const rows = own.map(([name, declaration]) => {
    const isOn = declaration.type === 'boolean' && declaration.default === true
    const flag = isOn ? `--no-${flagName(name).slice(2)}` : flagName(name)
    return `| \`${flag}${valueHint(declaration)}\` | ${describeOption(declaration).replaceAll('|', '\\|')} |`
  })
  const usage = ['holdfast', words, ...(argument === undefined ? [] : [argument])].join(' ')
  return `## \`${usage}\`\n\n${summary}.\n\n| option | meaning |\n| --- | --- |\n${rows.join('\n')}\n`
}

/** Returns the placeholder of an option's value, with a space before it; empty for a switch. */
export function valueHint(declaration: OptionDeclaration): string {
  if (declaration.type === 'boolean') return ''
  return { integer: ' <number>', string: ' <text>', list: ' <a,b>', object: ' <json>' }[declaration.type]
}

function defaultText(declaration: OptionDeclaration): string {
  const value = declaration.default
  if (value === undefined || typeof value === 'boolean' || valueText(value) === '' || valueText(value) === '{}')
    return ''
  return `default: ${valueText(value)}`
}

function typeText(declaration: OptionDeclaration): string {
  if (declaration.type === 'integer') return `${declaration.min} – ${declaration.max}`
  return { boolean: 'switch', string: 'text', list: 'list', object: 'JSON' }[declaration.type]
}

/** Renders a value as the command line takes it. */
export function valueText(value: SettingValue | undefined): string {
  if (Array.isArray(value)) return value.join(',')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Breaks a text into lines, the further ones indented. */
export function wrap(text: string, indent: number): string {
  const lines: string[] = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line.length + word.length > 76) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}
