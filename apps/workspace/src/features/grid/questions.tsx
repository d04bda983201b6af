import type { JSX } from 'react'
import { MoreDialog } from '../../components/records/more-question.tsx'
import { PartDialog } from '../../components/records/part-question.tsx'
import { LongWriteDialog } from './long-write.tsx'

/** The dialogs of range operations. */
export function Questions(): JSX.Element {
  return (
    <>
      <PartDialog />
      <MoreDialog />
      <LongWriteDialog />
    </>
  )
}
