import * as v from 'valibot'
import { assertOwnAnswer } from '../../lib/data/own-request.ts'
import { isPaletteColour, type PaletteColour } from '../../lib/palette.ts'
import { TABLE_ICONS, type TableIconName } from '../../lib/data/table-looks.ts'
import type { Language } from '../../lib/language.ts'

/** Files in `public/templates`, in the order of the gallery. */
export const TEMPLATE_FILES = [
  'inspections',
  'work-orders',
  'assets',
  'site-diary',
  'stock-counts',
  'contacts-and-visits',
] as const

/** The server's limit. */
export const TEMPLATE_BYTES_MAX = 1_000_000

const text = v.union([v.string(), v.record(v.string(), v.string())])
const looks = v.object({
  icon: v.optional(v.string()),
  color: v.optional(v.string()),
  choices: v.optional(v.record(v.string(), v.string())),
  translations: v.optional(
    v.record(
      v.string(),
      v.object({ label: v.optional(v.string()), choices: v.optional(v.record(v.string(), v.string())) }),
    ),
  ),
})
/** The parts that the gallery shows. The server checks the whole document. */
const templateSchema = v.object({
  holdfast_template: v.number(),
  name: text,
  description: v.optional(text),
  icon: v.optional(v.string()),
  color: v.optional(v.string()),
  tables: v.array(
    v.object({
      label: v.string(),
      looks: v.optional(looks),
      fields: v.array(
        v.object({
          name: v.string(),
          kind: v.string(),
          label: v.string(),
          choices: v.optional(v.array(v.string())),
          looks: v.optional(looks),
        }),
      ),
      views: v.optional(
        v.array(v.object({ type: v.optional(v.string()), config: v.optional(v.record(v.string(), v.string())) })),
      ),
      records: v.optional(v.array(v.record(v.string(), v.unknown()))),
    }),
  ),
  automations: v.optional(v.array(v.unknown())),
})
type Stored = v.InferOutput<typeof templateSchema>

/** A lane of the preview: a choice with the number of its records. */
export interface PreviewLane {
  readonly choice: string
  readonly label: string
  readonly records: number
}

export interface Template {
  readonly name: string
  readonly description: string | undefined
  readonly icon: TableIconName
  readonly colour: PaletteColour
  readonly tables: readonly string[]
  /** Lanes of the first board; empty if no table has one. */
  readonly lanes: readonly PreviewLane[]
  /** Whether the first table has views, one of which opens. */
  readonly hasViews: boolean
  /** The number of automations, which arrive switched off. */
  readonly automations: number
  /** As the server takes it. */
  readonly document: unknown
}

/** @returns `undefined` for what is not a template */
export function parseTemplate(json: string, language: Language): Template | undefined {
  let document: unknown
  try {
    document = JSON.parse(json)
  } catch {
    return undefined
  }
  const parsed = v.safeParse(templateSchema, document)
  if (!parsed.success) return undefined
  const { name, description, icon, color, tables, automations = [] } = parsed.output
  const inLanguage = (value: Stored['name']): string =>
    typeof value === 'string' ? value : (value[language] ?? value['en'] ?? Object.values(value)[0] ?? '')
  return {
    name: inLanguage(name),
    description: description === undefined ? undefined : inLanguage(description),
    icon: TABLE_ICONS.find((known) => known === icon) ?? 'table',
    colour: color !== undefined && isPaletteColour(color) ? color : 'slate',
    tables: tables.map((table) => table.looks?.translations?.[language]?.label ?? table.label),
    lanes: lanesOf(tables, language),
    hasViews: (tables[0]?.views ?? []).length > 0,
    automations: automations.length,
    document,
  }
}

function lanesOf(tables: Stored['tables'], language: Language): readonly PreviewLane[] {
  for (const { fields, views = [], records = [] } of tables) {
    const lane = views.find(({ type }) => type === 'board')?.config?.['lane']
    const field = fields.find(({ name }) => name === lane)
    if (!field?.choices) continue
    return field.choices.map((choice) => ({
      choice,
      label: field.looks?.translations?.[language]?.choices?.[choice] ?? field.looks?.choices?.[choice] ?? choice,
      records: records.filter((record) => record[field.name] === choice).length,
    }))
  }
  return []
}

/** @throws {TypeError} if a template did not arrive */
export async function fetchTemplates(language: Language, signal: AbortSignal): Promise<readonly Template[]> {
  return await Promise.all(
    TEMPLATE_FILES.map(async (name) => {
      const response = await fetch(`/templates/${name}.json`, { signal })
      assertOwnAnswer(response)
      const template = response.ok ? parseTemplate(await response.text(), language) : undefined
      if (!template) throw new TypeError(`The template ${name} did not arrive.`)
      return template
    }),
  )
}
