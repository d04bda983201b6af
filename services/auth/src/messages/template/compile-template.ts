import type { Expression } from './parse-expression.ts'
import { type OutputPlace, parseTemplate, type TemplateNode } from './parse-template.ts'

export type TemplateValues = Readonly<Record<string, unknown>>

/** Renders a template. Names without a value render as empty. */
export type Template = (values: TemplateValues) => string

/**
 * @param format - `html` escapes values for their context; `text` does not escape
 * @throws {TemplateError}
 */
export function compileTemplate(source: string, format: 'html' | 'text'): Template {
  const nodes = parseTemplate(source)
  const print = format === 'html' ? printHtml : toText
  return (values) => render(nodes, values, print)
}

type Print = (value: unknown, place: OutputPlace) => string

function render(nodes: readonly TemplateNode[], values: TemplateValues, print: Print): string {
  let text = ''
  for (const node of nodes) {
    if (node.kind === 'text') text += node.text
    else if (node.kind === 'output') text += print(evaluate(node.expression, values), node.place)
    else {
      const branch = node.branches.find(({ condition }) => !condition || isTrue(evaluate(condition, values)))
      text += render(branch?.nodes ?? [], values, print)
    }
  }
  return text
}

function evaluate(expression: Expression, values: TemplateValues): unknown {
  if (expression.kind === 'literal') return expression.value
  if (expression.kind === 'field') return expression.path.reduce<unknown>(fieldOf, values)
  const operands = expression.arguments.map((argument) => evaluate(argument, values))
  const [first] = operands
  switch (expression.name) {
    case 'eq':
      return operands.slice(1).some((operand) => isEqual(first, operand))
    case 'ne':
      return !isEqual(first, operands[1])
    case 'and':
      // The first false operand, which may be absent; otherwise the last (index -1).
      return operands.at(operands.findIndex((operand) => !isTrue(operand)))
    case 'or':
      return operands.find(isTrue) ?? operands.at(-1)
    case 'not':
      return !isTrue(first)
    case 'urlquery':
      return encodeURIComponent(toText(first))
    case 'html':
      return toText(first)
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as TemplateValues)[name]
    : undefined
}

/** An absent value equals an empty string, as both render the same. */
function isEqual(one: unknown, other: unknown): boolean {
  return (one ?? '') === (other ?? '')
}

/** As in Go: nil, zero and empty values are false. */
function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function printHtml(value: unknown, place: OutputPlace): string {
  const text = toText(value)
  return escapeHtml(place === 'query' ? encodeURIComponent(text) : text)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}
