import {
  type Condition,
  CONDITIONS_MAX,
  type FilterGroup,
  type FilterNode,
  NESTING_MAX,
  NO_FILTER,
  type Operator,
  OPERATORS,
} from './filter.ts'

/** Encodes a filter for the URL: `all(state.in.open.doing,any(title.has.pump,cost.gt.100))`. Special characters in values are escaped with `!`. */
export function renderFilter(group: FilterGroup): string | undefined {
  return group.nodes.length === 0 ? undefined : renderNode(group)
}

function renderNode(node: FilterNode): string {
  if (node.kind !== 'condition') return `${node.kind}(${node.nodes.map(renderNode).join(',')})`
  return [node.field, node.operator, ...node.values].map(escape).join('.')
}

function escape(text: string): string {
  return text.replace(/[!.,()]/g, (sign) => `!${sign}`)
}

/** Parses {@link renderFilter}'s format; invalid or oversized text yields no filter. */
export function parseFilter(text: string | undefined): FilterGroup {
  if (text === undefined || text === '') return NO_FILTER
  const reader = { text, at: 0, conditions: 0 }
  const group = readGroup(reader, 1)
  return group && reader.at === text.length && reader.conditions <= CONDITIONS_MAX ? group : NO_FILTER
}

interface Reader {
  readonly text: string
  at: number
  conditions: number
}

function readGroup(reader: Reader, depth: number): FilterGroup | undefined {
  const [, kind] = /^(all|any)\(/.exec(reader.text.slice(reader.at)) ?? []
  if ((kind !== 'all' && kind !== 'any') || depth > NESTING_MAX) return undefined
  reader.at += kind.length + 1
  const nodes: FilterNode[] = []
  while (reader.text[reader.at] !== ')') {
    const isGroup = /^(all|any)\(/.test(reader.text.slice(reader.at))
    const node = isGroup ? readGroup(reader, depth + 1) : readCondition(reader)
    if (!node) return undefined
    nodes.push(node)
    if (reader.text[reader.at] === ',') reader.at += 1
    else if (reader.text[reader.at] !== ')') return undefined
  }
  reader.at += 1
  return { kind, nodes }
}

function readCondition(reader: Reader): Condition | undefined {
  const parts = [readPart(reader)]
  while (reader.text[reader.at] === '.') {
    reader.at += 1
    parts.push(readPart(reader))
  }
  const [field = '', operator = '', ...values] = parts
  reader.conditions += 1
  return field !== '' && isOperator(operator) ? { kind: 'condition', field, operator, values } : undefined
}

function readPart(reader: Reader): string {
  let part = ''
  for (; reader.at < reader.text.length; reader.at++) {
    const letter = reader.text[reader.at] ?? ''
    if (letter === '!' && reader.at + 1 < reader.text.length) part += reader.text[++reader.at] ?? ''
    else if ('.,()'.includes(letter)) break
    else part += letter
  }
  return part
}

function isOperator(text: string): text is Operator {
  return OPERATORS.some((operator) => operator === text)
}
