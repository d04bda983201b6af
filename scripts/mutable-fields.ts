import { parseAst } from 'rolldown/parseAst'
import { Visitor, type ESTree } from 'rolldown/utils'

/** Limit of mutable fields, above which their combined states become unmanageable. */
export const MUTABLE_FIELDS_MAX = 8

export interface ClassFields {
  /** `undefined` for a class without a name. */
  readonly name: string | undefined
  /** Instance fields that are not `readonly`. */
  readonly mutable: readonly string[]
}

/** Lists the classes of a TypeScript source with their mutable fields. */
export function listMutableFields(text: string, path: string): readonly ClassFields[] {
  if (!/\bclass\b/.test(text)) return []
  const classes: ClassFields[] = []
  const add = ({ id, body }: ESTree.Class): void => {
    const mutable = body.body.flatMap((member) =>
      member.type === 'PropertyDefinition' && !member.static && member.readonly !== true && member.declare !== true
        ? [text.slice(member.key.start, member.key.end)]
        : [],
    )
    classes.push({ name: id?.name, mutable })
  }
  const visitor = new Visitor({ ClassDeclaration: add, ClassExpression: add })
  visitor.visit(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path))
  return classes
}
