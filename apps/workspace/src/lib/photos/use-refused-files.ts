import { useRecords } from '@holdfast/react'

/** How many files the server has not accepted; they wait for the person's decision. */
export function useRefusedFiles(): number {
  const { rows } = useRecords<{ readonly files: number }>(
    "select count(*) as files from hf_local_files where state = 'refused'",
  )
  return rows[0]?.files ?? 0
}
