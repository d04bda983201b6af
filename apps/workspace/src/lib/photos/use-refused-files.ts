import { useRecords } from '@holdfast/react'

/** Returns the number of refused files awaiting a decision. */
export function useRefusedFiles(): number {
  const { rows } = useRecords<{ readonly files: number }>(
    "select count(*) as files from hf_local_files where state = 'refused'",
  )
  return rows[0]?.files ?? 0
}
