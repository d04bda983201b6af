import { useEffect, useState } from 'react'
import type { Judgement, PlannedWrite } from '@holdfast/client'
import { useLocalDatabase } from './use-device.ts'

const NONE: readonly PlannedWrite[] = []

/**
 * Predicts results of writes with `LocalDatabase.judge`, updated when the rules change. `undefined` while loading, which is short.
 *
 * @param writes - compared by content; empty for nothing
 */
export function useJudgements(writes: readonly PlannedWrite[] = NONE): readonly Judgement[] | undefined {
  const local = useLocalDatabase()
  const asked = JSON.stringify(writes, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  const [answer, setAnswer] = useState<{ readonly asked: string; readonly judgements: readonly Judgement[] }>()
  useEffect(() => {
    if (asked === '[]') return undefined
    let isOver = false
    const judge = async (): Promise<void> => {
      const judgements = await local.judge(JSON.parse(asked) as readonly PlannedWrite[])
      const isKept = local.database.connected
      if (!isOver)
        setAnswer((last) => ({
          asked,
          judgements: isKept && last?.asked === asked ? keepRefusals(last.judgements, judgements) : judgements,
        }))
    }
    const judgeNow = (): void => {
      judge().catch((error: unknown) => {
        // A closing database fails. In any case the server decides.
        if (!isOver && !local.database.closed) console.warn(error)
      })
    }
    judgeNow()
    const stop = local.writeRules.subscribe(judgeNow)
    return () => {
      isOver = true
      stop()
    }
  }, [local, asked])
  return answer?.asked === asked ? answer.judgements : undefined
}

/** Refusals stand while the device asks for the rules again because rows behind them changed: what was withdrawn would appear for seconds. */
function keepRefusals(last: readonly Judgement[], next: readonly Judgement[]): readonly Judgement[] {
  return next.map((judgement, index) => {
    const before = last[index]
    return judgement.kind === 'unknown' && before?.kind === 'refused' ? before : judgement
  })
}
