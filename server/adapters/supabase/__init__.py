"""A Supabase project behind the ports: its Storage, its Auth, its Realtime. All over HTTP of our own, because the
packaged client reads files into memory in one piece, checks neither audience nor issuer, and gives up on its socket.
"""
