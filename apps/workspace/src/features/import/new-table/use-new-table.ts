import { foldName } from '@holdfast/protocol'
import { useLocalDatabase } from '@holdfast/react'
import { useMemo, useRef, useState } from 'react'
import { useTables, useWordedSchema } from '../../../lib/data/use-tables.tsx'
import type { ReadAs } from '../../../lib/exchange/opened-file.ts'
import { type Call, useCall } from '../../../hooks/use-call.ts'
import { newTableRefusals } from '../../../messages/new-table.ts'
import { parseFile, type ParsedFile } from '../parse-file.ts'
import { type ImportPlan, planImport } from '../plan-import.ts'
import { useFileWork } from '../use-file-work.ts'
import { proposeTable } from './propose-table.ts'
import { type NewTable, settled, type TableDraft, toNewTable, toProvisional } from './table-draft.ts'

interface Described {
  readonly file: ParsedFile
  readonly draft: TableDraft
  /** The proposal per column, from which choices are offered. */
  readonly proposed: TableDraft
}

/** The current step of creating a table. */
export type NewTableStep =
  | { readonly kind: 'choosing'; readonly problem?: string | undefined }
  | { readonly kind: 'reading'; readonly rows: number }
  /** `plan` is `undefined` while the rows are being checked. */
  | ({ readonly kind: 'describing'; readonly done: number; readonly plan: ImportPlan | undefined } & Described)
  | ({ readonly kind: 'made'; readonly table: string; readonly names: NewTable['names'] } & Described)

export interface MakingTable {
  readonly step: NewTableStep
  /** The server call, and why it was refused. */
  readonly call: Call
  /** The server's arguments; `undefined` without a file. */
  readonly planned: NewTable | undefined
  read(file: File, readAs?: ReadAs): void
  readAgain(readAs: ReadAs): void
  change(draft: TableDraft): void
  make(workspace: string): Promise<void>
  again(): void
}

/** The creation of a table from a file, until the table is on the server. */
export function useNewTable(): MakingTable {
  const { database } = useLocalDatabase()
  const tables = useTables()
  const schema = useWordedSchema()
  const call = useCall(newTableRefusals)
  const [step, setStep] = useState<NewTableStep>({ kind: 'choosing' })
  const { begin, guard } = useFileWork((problem) => setStep({ kind: 'choosing', problem }))
  const source = useRef<File>(undefined)
  const taken = useMemo(
    () => new Set(schema.tables.flatMap(({ name, table }) => [foldName(name), foldName(table)])),
    [schema],
  )

  const check = async (described: Described, signal: AbortSignal): Promise<void> => {
    const { file, draft } = described
    setStep({ kind: 'describing', done: 0, plan: undefined, ...described })
    const onProgress = (done: number): void => {
      if (!signal.aborted) setStep({ kind: 'describing', done, plan: undefined, ...described })
    }
    const provisional = toProvisional(draft, toNewTable(draft, taken), schema)
    // A table that does not exist yet has no policies to evaluate.
    const judge = async (): Promise<readonly never[]> => []
    const plan = await planImport({ ...provisional, database, judge, tables, rows: file.rows, signal, onProgress })
    if (!signal.aborted) setStep({ kind: 'describing', done: file.rows.length, plan, ...described })
  }

  const read = (file: File, readAs: ReadAs = {}): void => {
    const signal = begin()
    source.current = file
    setStep({ kind: 'reading', rows: 0 })
    const onProgress = (rows: number): void => {
      if (!signal.aborted) setStep({ kind: 'reading', rows })
    }
    const work = async (): Promise<void> => {
      const parsed = await parseFile({ file, readAs }, signal, onProgress)
      const draft = await proposeTable({ database, file: parsed, schema, tables, signal })
      signal.throwIfAborted()
      await check({ file: parsed, draft, proposed: draft }, signal)
    }
    guard(signal, work())
  }

  return {
    step,
    call,
    planned: step.kind === 'describing' ? toNewTable(step.draft, taken) : undefined,
    read,
    readAgain: (readAs) => source.current && read(source.current, readAs),
    change(changed) {
      if (step.kind !== 'describing') return
      const draft = settled(changed)
      const { file, proposed } = step
      if (isReadAlike(draft, step.draft) && step.plan) return setStep({ ...step, draft })
      const signal = begin()
      guard(signal, check({ file, draft, proposed }, signal))
    },
    async make(workspace) {
      if (step.kind !== 'describing') return
      const { file, draft, proposed } = step
      const { definition, names } = toNewTable(draft, taken)
      const made = await call.run<string>('create_table', { workspace, definition })
      if (made) setStep({ kind: 'made', table: made.result, names, file, draft, proposed })
    },
    again() {
      begin()
      setStep({ kind: 'choosing' })
    },
  }
}

/** Whether two drafts read the file's cells alike. */
function isReadAlike(one: TableDraft, other: TableDraft): boolean {
  const kinds = ({ fields, writing }: TableDraft): string =>
    JSON.stringify([fields.map(({ becomes }) => becomes), writing])
  return kinds(one) === kinds(other)
}
