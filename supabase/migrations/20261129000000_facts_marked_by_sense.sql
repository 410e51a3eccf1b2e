-- What memories are found by besides their own words now has marks of what they name in words of their own. Facts are made
-- again from the core memory, with them; findings are known by their kinds, and what else was there keeps its words.

delete from public.memories where source = 'core_memory';
update public.core_memories set memory_version = 0 where memory_version > 0;
