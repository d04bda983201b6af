import type { OptionDeclaration } from '@holdfast/foundation'
import { flagName, variableName } from './names.ts'
import { optionGroups } from './options.ts'

/** The help text of the command line. @param commands - a line for each command */
export function printHelp(commands: readonly string[]): string {
  const groups = optionGroups.map(({ title, options }) => {
    const lines = Object.entries(options).map(([name, declaration]) => {
      // Secrets do not belong on a command line, which every user of the machine can read.
      const flag = declaration.secret
        ? `  ${variableName(name, declaration)}`
        : `  ${flagName(name)}${valueHint(declaration)}`
      const fallback = defaultText(declaration)
      const text = `${declaration.description}${fallback === '' ? '' : ` (${fallback})`}`
      return `${flag.length > 38 ? `${flag}\n${' '.repeat(39)}` : flag.padEnd(39)}${wrap(text, 39)}`
    })
    return `${title}\n${lines.join('\n')}`
  })
  return [
    'Usage: holdfast <command> [options]',
    '',
    'Commands',
    ...commands,
    '',
    groups.join('\n\n'),
    '',
    'Each option is also an environment variable (--db-port is HOLDFAST_DB_PORT) and a key of',
    'holdfast.config.json ("dbPort"). The command line wins, then the environment, then the file.',
    '',
  ].join('\n')
}

/** `docs/reference/options.md`. A test compares the file with this. */
export function printReference(): string {
  const groups = optionGroups.map(({ title, options }) => {
    const rows = Object.entries(options).map(([name, declaration]) =>
      [
        `\`${name}\``,
        `\`${flagName(name)}\``,
        `\`${variableName(name, declaration)}\``,
        typeText(declaration),
        declaration.default === undefined ? '–' : `\`${valueText(declaration.default)}\``,
        declaration.description.replaceAll('|', '\\|'),
      ].join(' | '),
    )
    return `## ${title}\n\n| in the config file | on the command line | in the environment | values | default | meaning |\n| --- | --- | --- | --- | --- | --- |\n${rows.map((row) => `| ${row} |`).join('\n')}\n`
  })
  return `# Options

Every setting, from the same declarations that the parser uses. Printed by \`holdfast help --markdown\`.

The command line wins over the environment, the environment over the config file (\`holdfast.config.json\` in the folder where Holdfast is
started), the file over the default. A switch is turned on by its name alone and off by \`--no-\` before it; a list is separated by commas.

${groups.join('\n')}`
}

function valueHint(declaration: OptionDeclaration): string {
  if (declaration.type === 'boolean') return ''
  return { integer: ' <number>', string: ' <text>', list: ' <a,b>', object: ' <json>' }[declaration.type]
}

function defaultText(declaration: OptionDeclaration): string {
  if (declaration.default === undefined || declaration.default === false) return ''
  return `default: ${declaration.default === true ? 'on' : valueText(declaration.default)}`
}

function typeText(declaration: OptionDeclaration): string {
  if (declaration.type === 'integer') return `${declaration.min} – ${declaration.max}`
  return { boolean: 'switch', string: 'text', list: 'list', object: 'JSON' }[declaration.type]
}

function valueText(value: OptionDeclaration['default']): string {
  if (Array.isArray(value)) return value.join(',')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function wrap(text: string, indent: number): string {
  const lines: string[] = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line.length + word.length > 76) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}
