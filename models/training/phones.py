"""One set of English phone classes for both synthesisers, used as frame-wise targets while the encoder starts up."""

SILENCE = "sil"
CLASSES = (
    SILENCE,
    *"aa ae ah ao aw ax ay b ch d dh eh er ey f g hh ih iy jh k l m n ng ow oy p r s sh t th uh uw v w y z zh".split(),
)
PHONE_ID = {name: i for i, name in enumerate(CLASSES)}
UNKNOWN = 255

_ESPEAK = """
n=n n-=n t=t t#=t t2=t t[=t ?=t I=ih I2=ih I#=ih i=iy i:=iy i@=iy i@3=iy s=s d=d r=r r-=r l=l @L=l k=k @=ax @2=ax @5=ax
@-=ax a#=ax z=z D=dh m=m V=ah p=p a=ae aa=aa E=eh f=f v=v b=b w=w h=hh 3=er 3:=er eI=ey aI=ay aI3=ay aI@=ay u:=uw oU=ow
S=sh 0=aa N=ng g=g j=y ;=y U=uh U@=uh dZ=jh aU=aw tS=ch A@=aa A:=aa O:=ao O2=ao O@=ao o@=ao T=th e@=eh OI=oy Z=zh
_:=sil _=sil _!=sil _|=sil
"""
ESPEAK_PHONES = {name: PHONE_ID[to] for name, to in (pair.rsplit("=", 1) for pair in _ESPEAK.split())}
FLITE_PHONES = {**PHONE_ID, "pau": PHONE_ID[SILENCE], "ssil": PHONE_ID[SILENCE], "axr": PHONE_ID["er"]}
