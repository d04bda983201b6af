/** What a request does, as policies read it from `storage.operation()`. */
export type Operation =
  | `storage.bucket.${'create' | 'delete' | 'empty' | 'list' | 'get' | 'update'}`
  | `storage.object.${
      | 'upload'
      | 'upload_update'
      | 'upload_signed'
      | 'copy'
      | 'move'
      | 'delete'
      | 'delete_many'
      | 'get_authenticated'
      | 'get_public'
      | 'get_signed'
      | 'info_public'
      | 'sign'
      | 'sign_many'
      | 'sign_upload_url'
      | 'list'
      | 'list_v2'}`
  // As Supabase has these two.
  | 'object.get_authenticated_info'
  | 'object.head_authenticated_info'
  // Of parts that are built on this one.
  | `storage.tus.upload.${'create' | 'part' | 'get' | 'delete'}${'' | '_signed'}`
  | `storage.render.image_${'authenticated' | 'public' | 'sign'}`
  | `storage.s3.${string}`
