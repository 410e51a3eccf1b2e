"""A Supabase project behind the ports: its Storage, its Auth, its Realtime. All over HTTP of our own, because the
packaged client reads whole files into memory, checks neither audience nor issuer, and gives up on its socket.
"""
