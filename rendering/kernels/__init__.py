"""The hot loops of the room, twice: in C where a compiler was there at install, in numpy everywhere.

`layout` puts a tree's nodes side by side, `cells` turns boxes into cells and label runs, `pixels` turns cells and
letters into pixels. Both ways count in integers, so that they give the same picture to the last bit.
`FLAMECHAT_KERNELS=off` in the environment leaves the C out."""
