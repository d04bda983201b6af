import { DeviceFull, toWriteFailure } from '@holdfast/client'
import { useLocalDatabase } from '@holdfast/react'
import { useEffect, useRef } from 'react'
import { showToast } from '../../components/toast.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { useUnstored } from '../../lib/data/unstored.ts'
import { withDefaults } from '../../lib/records/computed-defaults.ts'
import type { Command } from '../../lib/records/record-change.ts'
import { importMessages as words } from '../../messages/import.ts'
import type { ImportStep } from './import-step.ts'
import { runImport, undoImport } from './run-import.ts'

/** Writes and undoes an import. Continues after the user leaves the screen, and then reports in a toast. */
export function useWriting(
  table: TableInfo,
  setStep: (step: ImportStep) => void,
): {
  readonly run: (checked: Extract<ImportStep, { kind: 'checked' }>) => Promise<void>
  readonly stop: () => void
  readonly undo: (from: Extract<ImportStep, { kind: 'written' }>) => Promise<void>
} {
  const local = useLocalDatabase()
  const writing = useRef<AbortController>(undefined)
  const written = useRef<Command[]>([])
  const isLeft = useRef(false)
  useEffect(() => {
    isLeft.current = false
    return () => void (isLeft.current = true)
  }, [])

  const run = async (checked: Extract<ImportStep, { kind: 'checked' }>): Promise<void> => {
    const { plan, file } = checked
    writing.current = new AbortController()
    written.current = []
    let done = 0
    const onProgress = (next: number): void => {
      done = next
      setStep({ ...checked, kind: 'writing', done })
    }
    onProgress(0)
    let problem: string | undefined
    try {
      const { signal } = writing.current
      const changes = await withDefaults(local, plan.changes)
      await runImport({ database: local.database, fileName: file.name, changes, signal, onProgress }, written.current)
    } catch (error) {
      const failure = await toWriteFailure(error)
      if (failure instanceof DeviceFull) useUnstored.setState({ label: words.label(file.name) })
      else console.warn('The import stopped.', error)
      problem = words.failed
    }
    const next = { ...checked, kind: 'written', done, problem } as const
    setStep(next)
    if (!isLeft.current) return
    const text = words.done(done, table.noun, table.many)
    showToast(done === 0 ? { text } : { text, action: { label: words.undo, run: () => void undo(next) } })
  }

  const undo = async (from: Extract<ImportStep, { kind: 'written' }>): Promise<void> => {
    const total = written.current.reduce((sum, { changes }) => sum + changes.length, 0)
    const onProgress = (done: number): void => setStep({ kind: 'undoing', done, total })
    onProgress(0)
    try {
      const kept = await undoImport(local.database, local.rejected, written.current, onProgress)
      setStep({ kind: 'undone', kept })
      if (isLeft.current) showToast({ text: kept === 0 ? words.undone : words.undoneExcept(kept) })
    } catch (error) {
      console.warn('The import was not taken back.', error)
      const left = written.current.reduce((sum, { changes }) => sum + changes.length, 0)
      setStep({ ...from, done: left, problem: words.undoFailed })
      if (isLeft.current) showToast({ text: words.undoFailed })
    }
  }

  return { run, stop: () => writing.current?.abort(), undo }
}
