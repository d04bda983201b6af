import { useLocalDatabase } from '@holdfast/react'
import { useRef, useState } from 'react'
import type { ReadAs } from '../../lib/exchange/opened-file.ts'
import type { TableInfo } from '../../lib/data/tables.ts'
import { holdPage } from '../../lib/data/typing.ts'
import { useTables } from '../../lib/data/use-tables.tsx'
import type { Field } from '../../lib/fields/field.ts'
import { type ImportSettings, proposeSettings } from './import-settings.ts'
import { parseFile, type ParsedFile } from './parse-file.ts'
import type { ImportStep } from './import-step.ts'
import { planImport } from './plan-import.ts'
import { useFileWork } from './use-file-work.ts'
import { useWriting } from './use-writing.ts'

/** Rows from which number and date formats are detected; more would keep the page from reacting. */
const SAMPLE_ROWS = 20_000

export interface Import {
  readonly step: ImportStep
  read(file: File, readAs?: ReadAs): void
  /** Parses the file again with other settings. */
  readAgain(readAs: ReadAs): void
  change(settings: ImportSettings): void
  /** Checks a parsed file and imports its valid rows. */
  runWhole(file: ParsedFile, settings: ImportSettings): void
  stopCheck(): void
  run(): void
  stop(): void
  undo(): void
  again(): void
}

/** An import into a table, from choosing a file to the end. */
export function useImport(table: TableInfo, fields: readonly Field[]): Import {
  const local = useLocalDatabase()
  const tables = useTables()
  const [step, setStep] = useState<ImportStep>({ kind: 'choosing' })
  const { begin, guard } = useFileWork((problem) => setStep({ kind: 'choosing', problem }))
  const source = useRef<File>(undefined)
  const whole = useRef<AbortController>(undefined)
  const writing = useWriting(table, setStep)

  const check = async (
    file: ParsedFile,
    settings: ImportSettings,
    signal: AbortSignal,
  ): Promise<Extract<ImportStep, { kind: 'checked' }> | undefined> => {
    const checked = { file, settings }
    setStep({ kind: 'checking', done: 0, ...checked })
    const { database, judge } = local
    const onProgress = (done: number): void => {
      if (!signal.aborted) setStep({ kind: 'checking', done, ...checked })
    }
    const options = { database, judge, table, tables, fields, rows: file.rows, settings, signal, onProgress }
    const plan = await planImport(options)
    if (signal.aborted) return undefined
    const next = { kind: 'checked', plan, ...checked } as const
    setStep(next)
    return next
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
      const sample = parsed.rows.slice(0, SAMPLE_ROWS)
      await check(parsed, proposeSettings(parsed.header, sample, fields, table.codeColumn), signal)
    }
    guard(signal, work())
  }

  return {
    step,
    read,
    readAgain: (readAs) => source.current && read(source.current, readAs),
    change(settings) {
      if (step.kind !== 'checked' && step.kind !== 'checking') return
      const signal = begin()
      guard(signal, check(step.file, settings, signal))
    },
    runWhole(file, settings) {
      // The user has confirmed it: leaving the screen does not stop it any more, not even before the first record.
      whole.current = new AbortController()
      const { signal } = whole.current
      const checked = holdPage(() => check(file, settings, signal))
      guard(
        signal,
        checked.then((ready) => ready && writing.run(ready)),
      )
    },
    stopCheck() {
      begin()
      whole.current?.abort()
      if (step.kind === 'checking') setStep({ ...step, isStopped: true })
    },
    run: () => step.kind === 'checked' && void writing.run(step),
    stop: writing.stop,
    undo: () => step.kind === 'written' && void writing.undo(step),
    again() {
      begin()
      setStep({ kind: 'choosing' })
    },
  }
}
