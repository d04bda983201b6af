import fc from 'fast-check'
import type { Field, Filter, LogicTree, Operation } from '../src/request/api-request.ts'

/** Prints a name so that it is read as the same name: between quotes unless it is plain. */
export function printName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : quote(name)
}

export function printField({ name, path }: Field): string {
  const steps = path.map(({ arrow, operand }) => {
    return `${arrow}${operand.kind === 'index' ? operand.index : quote(operand.key)}`
  })
  return `${printName(name)}${steps.join('')}`
}

/** Prints a tree as it stands inside `and=(…)`. */
export function printTree(tree: LogicTree): string {
  if (tree.kind === 'filter') return `${printField(tree.field)}.${printOperation(tree, quote)}`
  return `${tree.negated ? 'not.' : ''}${tree.operator}(${tree.children.map(printTree).join(',')})`
}

/** Prints what stands after `column=`. */
export function printFilterValue(filter: Filter): string {
  return printOperation(filter, (value) => value)
}

function printOperation({ negated, operation }: Filter, printValue: (value: string) => string): string {
  return `${negated ? 'not.' : ''}${printTest(operation, printValue)}`
}

function printTest(operation: Operation, printValue: (value: string) => string): string {
  switch (operation.kind) {
    case 'simple':
      return `${operation.operator}.${printValue(operation.value)}`
    case 'quantifiable': {
      const quantifier = operation.quantifier === undefined ? '' : `(${operation.quantifier})`
      return `${operation.operator}${quantifier}.${printValue(operation.value)}`
    }
    case 'is':
      return `is.${operation.value}`
    case 'isdistinct':
      return `isdistinct.${printValue(operation.value)}`
    case 'in':
      return `in.(${operation.values.map(quote).join(',')})`
    case 'fts': {
      const language = operation.language === undefined ? '' : `(${operation.language})`
      return `${operation.operator}${language}.${printValue(operation.value)}`
    }
  }
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}

/** Any text that Postgres could hold. */
export const anyText = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => !text.includes('\0'))

const anyName = fc.oneof(
  fc.constantFrom('id', 'title', 'order', 'and', 'not', 'in', 'a b'),
  anyText.filter((text) => text !== ''),
)

const anyField: fc.Arbitrary<Field> = fc.record({
  name: anyName,
  path: fc.array(
    fc.record({
      arrow: fc.constantFrom('->' as const, '->>' as const),
      operand: fc.oneof(fc.record({ kind: fc.constant('key' as const), key: anyText.filter((text) => text !== '') })),
    }),
    { maxLength: 3 },
  ),
})

const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    kind: fc.constant('simple' as const),
    operator: fc.constantFrom('neq', 'cs', 'cd', 'ov', 'sl', 'sr', 'nxr', 'nxl', 'adj'),
    value: anyText,
  }),
  fc.record({
    kind: fc.constant('quantifiable' as const),
    operator: fc.constantFrom('eq', 'gte', 'gt', 'lte', 'lt', 'like', 'ilike', 'match', 'imatch'),
    quantifier: fc.constantFrom(undefined, 'any' as const, 'all' as const),
    value: anyText,
  }),
  fc.record({
    kind: fc.constant('is' as const),
    value: fc.constantFrom('null', 'not_null', 'true', 'false', 'unknown'),
  }),
  fc.record({ kind: fc.constant('isdistinct' as const), value: anyText }),
  fc.record({ kind: fc.constant('in' as const), values: fc.array(anyText, { minLength: 1, maxLength: 4 }) }),
  fc.record({
    kind: fc.constant('fts' as const),
    operator: fc.constantFrom('fts', 'plfts', 'phfts', 'wfts'),
    language: fc.constantFrom(undefined, 'english'),
    value: anyText,
  }),
)

export const anyFilter: fc.Arbitrary<Filter> = fc.record({
  kind: fc.constant('filter' as const),
  field: anyField,
  negated: fc.boolean(),
  operation: anyOperation,
})

/** A tree over given leaves whose root is `and` or `or`. */
export function logicTreeOf(leaf: fc.Arbitrary<Filter>): fc.Arbitrary<LogicTree> {
  return fc.letrec<{ tree: LogicTree; node: LogicTree }>((tie) => ({
    tree: fc.oneof({ depthSize: 'small', withCrossShrink: true }, leaf, tie('node')),
    node: fc.record({
      kind: fc.constant('logic' as const),
      negated: fc.boolean(),
      operator: fc.constantFrom('and' as const, 'or' as const),
      children: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
    }),
  })).node
}
