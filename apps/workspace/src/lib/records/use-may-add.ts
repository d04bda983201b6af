import { useJudgements, useLocalDatabase } from '@holdfast/react'
import { useEffect, useMemo } from 'react'
import type { TableInfo } from '../data/tables.ts'
import { recallRight, rememberRight } from './remembered-rights.ts'

/**
 * Returns whether policies let this user add records to a table: an empty one, so only what they forbid for any values. Until they are evaluated, the last
 * answer; `undefined` without one: nothing is offered that might be withdrawn.
 *
 * @param isAsked - whether to evaluate the policies now
 */
export function useMayAdd({ name, descriptor }: TableInfo, isAsked = true): boolean | undefined {
  const { userId } = useLocalDatabase()
  const right = `insert/${name}`
  const { insert } = descriptor.can
  const judgements = useJudgements(isAsked && insert ? [{ table: name, command: 'insert', after: {} }] : [])
  const may = judgements && judgements[0]?.kind !== 'refused'
  // Memory is outside React.
  useEffect(() => {
    if (may !== undefined) rememberRight(userId, right, may)
  }, [userId, right, may])
  const recalled = useMemo(() => recallRight(userId, right), [userId, right])
  return insert && (may ?? recalled)
}
