import * as v from 'valibot'

/** Presence states come from other devices: validated, and never used for decisions. */
const here = v.object({ name: v.pipe(v.string(), v.trim(), v.nonEmpty(), v.transform(shorten)) })
const cursor = v.object({
  user: v.pipe(v.string(), v.maxLength(100)),
  record: v.pipe(v.string(), v.maxLength(200)),
  field: v.pipe(v.string(), v.maxLength(100)),
  isEditing: v.boolean(),
})
const typing = v.object({ user: v.pipe(v.string(), v.maxLength(100)), isTyping: v.boolean() })

const editing = v.object({
  user: v.pipe(v.string(), v.maxLength(100)),
  field: v.nullable(v.pipe(v.string(), v.maxLength(100))),
})

const NAME_MAX = 60

/** Presence at a place. */
export type Here = v.InferOutput<typeof here>
/** The cell a user is in. */
export type Cursor = v.InferOutput<typeof cursor>
/** The field a user is editing; `null` for none. */
export type Editing = v.InferOutput<typeof editing>
/** Whether a user is writing a comment. */
export type Typing = v.InferOutput<typeof typing>

export const parseHere = (shown: unknown): Here | undefined => parse(here, shown)
export const parseCursor = (sent: unknown): Cursor | undefined => parse(cursor, sent)
export const parseEditing = (sent: unknown): Editing | undefined => parse(editing, sent)
export const parseTyping = (sent: unknown): Typing | undefined => parse(typing, sent)

function parse<Schema extends v.GenericSchema>(schema: Schema, value: unknown): v.InferOutput<Schema> | undefined {
  const result = v.safeParse(schema, value)
  return result.success ? result.output : undefined
}

function shorten(name: string): string {
  return name.slice(0, NAME_MAX)
}
